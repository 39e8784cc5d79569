# Completion of seriatim, seriatim-cc and seriatim-c++ for bash.
# Written by `seriatim completion bash` from the tables of its commands and options.

# Looks up a command (the empty word stands for seriatim itself). Sets `options` to its options,
# `values` to those that take a value, each with its kind, `operand` to the kind of its operands,
# and `most` to the largest number of operands.
_seriatim_table() {
    options='' values=() operand='any' most=0
    case $1 in
@TABLE@
    *) return 1 ;;
    esac
}

# Rejoins the words up to the cursor that bash has split at = and the like. words[i]
# begins at COMP_WORDS[starts[i]] and at character offsets[i] of COMP_LINE.
_seriatim_words() {
    local before=${COMP_LINE:0:COMP_POINT} blank piece i
    local rest=$before
    words=() starts=() offsets=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        piece=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || piece=$rest
        if ((i == 0)) || [[ $blank ]]; then
            words+=("$piece") starts+=("$i") offsets+=("$((${#before} - ${#rest}))")
        else
            words[${#words[@]} - 1]+=$piece
        fi
        rest=${rest#"$piece"}
    done
}

# Sets `kept` to the part of the current word that bash keeps when it inserts a completion.
_seriatim_keep() {
    local breaks=${COMP_WORDBREAKS//[$' \t\n\"\'']/}
    kept=
    [[ ! $breaks ]] || kept=${current%"${current##*["$breaks"]}"}
}

# Offers the words that begin with VALUE. PREFIX comes before it in the current word.
_seriatim_offer_words() { # PREFIX VALUE WORD...
    local prefix=$1 value=$2 kept word
    _seriatim_keep
    for word in "${@:3}"; do
        [[ $word != "$value"* ]] || COMPREPLY+=("${prefix:${#kept}}$word")
    done
}

# Offers files. bash does this best itself, unless it cannot see where the name begins.
_seriatim_offer_files() { # PREFIX VALUE
    local prefix=$1 value=$2 kept
    _seriatim_keep
    if ((${#kept} >= ${#prefix})); then
        compopt -o default
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -P "$prefix" -- "$value")
    fi
}

_seriatim_offer() { # PREFIX VALUE PLACE...
    case $3 in
    word) _seriatim_offer_words "$1" "$2" "${@:4}" ;;
    file) _seriatim_offer_files "$1" "$2" ;;
    program)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -c -d -- "$2")
        ;;
    esac
}

# Sets `place` to the kind of the option's value; fails if it takes none.
_seriatim_find() { # OPTION
    local entry
    for entry in "${values[@]}"; do
        [[ $entry == "$1 "* ]] || continue
        read -ra place <<<"${entry#* }"
        return 0
    done
    return 1
}

# Does one of the options in WORD take a value? Sets `place` to its kind, and `prefix` to what comes
# before it in WORD: nothing if the value is the next word.
_seriatim_takes_value() { # WORD
    local i
    prefix=
    case $1 in
    --*=*)
        prefix=${1%%=*}=
        _seriatim_find "${1%%=*}"
        ;;
    --*) _seriatim_find "$1" ;;
    *)
        for ((i = 1; i < ${#1}; i++)); do
            _seriatim_find "-${1:i:1}" || continue
            ((i + 1 == ${#1})) || prefix=${1:0:i+1}
            return 0
        done
        return 1
        ;;
    esac
}

# Completes what comes after words[INDEX] as if the line began there, with COMMAND.
_seriatim_delegate() { # INDEX COMMAND
    local next=${starts[$1 + 1]} behind=$((offsets[$1] + ${#words[$1]}))
    COMP_LINE=$2${COMP_LINE:behind}
    COMP_POINT=$((COMP_POINT - behind + ${#2}))
    COMP_WORDS=("$2" "${COMP_WORDS[@]:next}")
    COMP_CWORD=$((COMP_CWORD - next + 1))
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset 0
    elif declare -F _command_offset >/dev/null; then
        _command_offset 0
    else # without the package bash-completion
        compopt -o default
    fi
}

# The same if words[INDEX] stands for a compiler: that of the variable, or the default.
_seriatim_compile() { # INDEX compiler VARIABLE USUAL
    local chosen=${!3:-$4}
    _seriatim_delegate "$1" "${chosen##* }"
}

_seriatim() {
    local words starts offsets options values operand most place prefix i
    COMPREPLY=()
    _seriatim_words
    local last=$((${#words[@]} - 1)) first=1 command='' seen=0 ended=''
    local current=${words[last]}
    ((last < 2)) || first=2 command=${words[1]}
    _seriatim_table "$command" || return
    read -ra operand <<<"$operand"
    if [[ ${operand[0]} == compiler ]]; then
        _seriatim_compile 1 "${operand[@]}"
        return
    fi
    for ((i = first; i < last; i++)); do
        if [[ $ended || ${words[i]} != -?* ]]; then
            if [[ ${operand[0]} == program ]]; then
                _seriatim_delegate "$i" "${words[i]}"
                return
            fi
            ((++seen))
        elif [[ ${words[i]} == -- ]]; then
            ended=yes
        elif _seriatim_takes_value "${words[i]}" && [[ ! $prefix ]] && ((++i == last)); then
            _seriatim_offer '' "$current" "${place[@]}"
            return
        fi
    done
    if [[ $ended || $current != -* ]]; then
        ((seen >= most)) || _seriatim_offer '' "$current" "${operand[@]}"
    elif _seriatim_takes_value "$current" && [[ $prefix ]]; then
        _seriatim_offer "$prefix" "${current:${#prefix}}" "${place[@]}"
    else
        read -ra options <<<"$options"
        _seriatim_offer_words '' "$current" "${options[@]}"
    fi
}

_seriatim_compiler() {
    local words starts offsets options values operand most
    COMPREPLY=()
    _seriatim_words
    _seriatim_table "${1##*seriatim-}" || return
    read -ra operand <<<"$operand"
    _seriatim_compile 0 "${operand[@]}"
}

complete -F _seriatim seriatim
complete -F _seriatim_compiler seriatim-cc seriatim-c++
