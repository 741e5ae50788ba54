# Doxygen's input filter: keeps the text of /// comments as it is written, because they are Markdown and not Doxygen's commands.
# Lines keep their numbers.
function flush_line() {
  if (held) print text (closes ? " \\endverbatim" : "")
  held = 0
}
{
  is_comment = match($0, /^ *\/\/\/( |$)/)
  trailing = !is_comment && match($0, /\/\/\/< /)
  closes = !is_comment
  flush_line()
  if (is_comment) {
    if (inside) text = $0
    else { match($0, /^ *\/\/\//); text = substr($0, 1, RLENGTH) " \\verbatim" substr($0, RLENGTH + 1) }
    held = 1
  } else if (trailing) {
    match($0, /\/\/\/< /)
    print substr($0, 1, RSTART - 1) "///< \\verbatim " substr($0, RSTART + 5) " \\endverbatim"
  } else {
    print
  }
  inside = is_comment
}
END { closes = 1; flush_line() }
