#compdef seriatim seriatim-cc seriatim-c++
# Completion of seriatim, seriatim-cc and seriatim-c++ for zsh.
# Written by `seriatim completion zsh` from the tables of its commands and options.

# Completes the line as one of a compiler: the one that the variable names, or the default.
_seriatim_compile() { # VARIABLE USUAL
    local chosen=${(P)1}
    chosen=${chosen:-$2}
    words[1]=${chosen##* }
    _normal
}

# Completes a program: in the folders of PATH, or by its path.
_seriatim_programs() {
    if [[ $PREFIX == */* ]]; then
        _alternative 'executables:program:_path_files -g "*(-*)"' 'directories:folder:_path_files -/'
    else
        _alternative 'commands:program:_path_commands' 'directories:folder:_path_files -/'
    fi
}

# Completes the line of a program that is run, with or without -- before it.
_seriatim_program() {
    if [[ $words[1] == -- ]]; then
        shift words
        ((CURRENT--))
    fi
    _normal
}

@TABLE@

_seriatim() {
    local curcontext=$curcontext
    local -A opt_args
    case $service in
    seriatim-*) words[1]=${service#seriatim-} ;;
    *)
        if ((CURRENT == 2)); then
            _seriatim_top
            return
        fi
        shift words
        ((CURRENT--))
        curcontext=${curcontext%:*:*}:seriatim-$words[1]:
        ;;
    esac
    _seriatim_command
}

if [[ $funcstack[1] == _seriatim ]]; then
    _seriatim "$@"
else
    compdef _seriatim seriatim seriatim-cc seriatim-c++
fi
