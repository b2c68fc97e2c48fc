// Match patterns are written for PostgreSQL and come from users. RE2 matches them in linear time, so no name can make matching
// slow.
const maxPatternLength = 2_000
const options = /^\(\?([a-z]+)\)/
/** PostgreSQL's word boundaries and end of text. */
const escapes: Readonly<Record<string, string>> = { y: 'b', m: 'b', M: 'b', Y: 'B', Z: 'z' }

export type PatternResult = { readonly ok: true; readonly pattern: string } | { readonly ok: false; readonly message: string }

const refused = (message: string): PatternResult => ({ ok: false, message })

/** The same expression in RE2 syntax. RE2 then rejects features without a linear-time form: lookaround and back references. */
export function fromPostgres(pattern: string, ignoreCase = false): PatternResult {
  if (pattern.length > maxPatternLength) return refused(`longer than ${maxPatternLength} characters`)
  const flags = options.exec(pattern)?.[1] ?? ''
  // Flags that spell out PostgreSQL's defaults are accepted; other options change the syntax.
  const unknown = /[^icst]/.exec(flags)?.[0]
  if (unknown !== undefined) return refused(`the option (?${unknown}) is not supported`)
  const insensitive = ignoreCase || flags.lastIndexOf('i') > flags.lastIndexOf('c')
  const body = pattern.slice(flags === '' ? 0 : flags.length + 3)
  const re2 = body.replace(/\\([\s\S])/g, (whole, letter: string) => (letter in escapes ? `\\${escapes[letter]}` : whole))
  return { ok: true, pattern: `(?s${insensitive ? 'i' : ''})${re2}` }
}
