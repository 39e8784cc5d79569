.PHONY: all
all:
	cmake -B build -S . && cmake --build build -j2
