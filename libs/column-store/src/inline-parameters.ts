// Writes long parameters as literals into the statement's text. Only max_query_size limits this text. In a URL, long parameters would
// exceed limits of servers and proxies. In form fields, they would exceed the server's http_max_field_value_size (128 KiB), which a request
// cannot change.
import { literal } from './literal.ts'

const opening = /['`{]/g
const placeholder = /\{(\w+):([^{}]+)\}/y

/** Values are texts, numbers, booleans, and lists of these. Quoted text stays unchanged. */
export function inlineParameters(sql: string, params: Readonly<Record<string, unknown>>): string {
  const parts: string[] = []
  let [from, at] = [0, 0]
  for (;;) {
    opening.lastIndex = at
    const found = opening.exec(sql)
    if (found === null) return parts.join('') + sql.slice(from)
    if (found[0] !== '{') {
      at = endOfQuoted(sql, found.index, found[0])
      continue
    }
    placeholder.lastIndex = found.index
    const [text, name, type] = placeholder.exec(sql) ?? ['{']
    at = found.index + text.length
    if (name === undefined || type === undefined || !Object.hasOwn(params, name)) continue
    parts.push(sql.slice(from, found.index), `CAST(${textOf(params[name])} AS ${type})`)
    from = at
  }
}

/** A doubled quote inside a quoted text counts as the end of this text and the beginning of a new quoted text. The caller skips both. */
function endOfQuoted(sql: string, start: number, quote: string): number {
  const stop = quote === "'" ? /['\\]/g : /[`\\]/g
  stop.lastIndex = start + 1
  for (let found = stop.exec(sql); found !== null; found = stop.exec(sql)) {
    if (found[0] === quote) return found.index + 1
    stop.lastIndex = found.index + 2
  }
  return sql.length
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`
  if (typeof value === 'string') return literal(value)
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  throw new TypeError(`A parameter is ${value === null ? 'null' : typeof value}`)
}
