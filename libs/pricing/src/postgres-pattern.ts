// Translates match patterns from PostgreSQL's syntax to that of RE2, which matches in linear time.
const maxPatternLength = 2_000
const options = /^\(\?([a-z]+)\)/
/** Maps PostgreSQL's escapes to RE2's escapes, for word boundaries and for the end of the text. */
const escapes: Readonly<Record<string, string>> = { y: 'b', m: 'b', M: 'b', Y: 'B', Z: 'z' }

export type PatternResult = { readonly ok: true; readonly pattern: string } | { readonly ok: false; readonly message: string }

const refused = (message: string): PatternResult => ({ ok: false, message })

/** RE2 rejects lookaround and back references, which it cannot match in linear time. */
export function fromPostgres(pattern: string, ignoreCase = false): PatternResult {
  if (pattern.length > maxPatternLength) return refused(`longer than ${maxPatternLength} characters`)
  const flags = options.exec(pattern)?.[1] ?? ''
  // Only the flag `i` and the flags for PostgreSQL's default behavior (`c`, `s`, `t`) are accepted. Other flags would change the syntax.
  const unknown = /[^icst]/.exec(flags)?.[0]
  if (unknown !== undefined) return refused(`the option (?${unknown}) is not supported`)
  const insensitive = ignoreCase || flags.lastIndexOf('i') > flags.lastIndexOf('c')
  const body = pattern.slice(flags === '' ? 0 : flags.length + 3)
  const re2 = body.replace(/\\([\s\S])/g, (whole, letter: string) => (letter in escapes ? `\\${escapes[letter]}` : whole))
  return { ok: true, pattern: `(?s${insensitive ? 'i' : ''})${re2}` }
}
