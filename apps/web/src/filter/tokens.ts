// Splits the text of the filter bar into terms: field, value, and their positions.

export interface Term {
  readonly from: number
  readonly to: number
  readonly isNegated: boolean
  /** Name of the field. Undefined if the term is only a word or a quoted text. */
  readonly field: string | undefined
  /** Key of `metadata.key` and `score.key`. */
  readonly key: string | undefined
  readonly value: Value
}

/** A value in quotes is always a text. */
export interface Single {
  readonly text: string
  readonly isQuoted: boolean
}

type Value =
  | { readonly kind: 'single'; readonly sign: string; readonly single: Single }
  | { readonly kind: 'list'; readonly join: '|' | '&'; readonly items: readonly Single[] }

export class FilterError extends Error {
  readonly from: number
  readonly to: number

  constructor(message: string, from: number, to: number) {
    super(message)
    this.name = 'FilterError'
    this.from = from
    this.to = to
  }
}

export function termsOf(text: string): readonly Term[] {
  const terms: Term[] = []
  let at = 0

  const peek = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const take = (pattern: RegExp): string | undefined => {
    const found = peek(pattern)
    at += found?.length ?? 0
    return found
  }

  /** Reads a quoted text with JSON escapes. */
  function quoted(): string | undefined {
    const start = at
    const found = take(/"(?:[^"\\]|\\.)*"/suy)
    if (found === undefined) {
      if (text[at] === '"') throw new FilterError('The closing quotation mark is missing.', start, text.length)
      return undefined
    }
    try {
      // JSON does not allow line breaks in a text, but users paste texts with line breaks.
      return String(JSON.parse(found.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')))
    } catch {
      throw new FilterError(`${found} is an unknown escape. Write \\\\ for a backslash.`, start, at)
    }
  }

  function single(pattern: RegExp): Single {
    const text = quoted()
    return text === undefined ? { text: take(pattern) ?? '', isQuoted: false } : { text, isQuoted: true }
  }

  function list(start: number): Value {
    at++
    const isAll = text[at] === '&'
    if (isAll) at++
    const items: Single[] = []
    let join: '|' | '&' = isAll ? '&' : '|'
    while (at < text.length && text[at] !== ')') {
      items.push(single(/[^"()|&]*/uy))
      const next = text[at]
      if (next !== '|' && next !== '&') break
      if (items.length > 1 && next !== join) throw new FilterError('A list can contain | or &, not both.', start, at + 1)
      join = next
      at++
    }
    if (text[at] !== ')') throw new FilterError('The list is not closed. Write ) after its last value.', start, at)
    at++
    return { kind: 'list', join, items }
  }

  function value(start: number): Value {
    if (text[at] === '(') return list(start)
    const sign = take(/>=|<=|[=~^$*<>]/uy) ?? ''
    return { kind: 'single', sign, single: single(/[^\s"]*/uy) }
  }

  while (take(/\s*/uy) !== undefined && at < text.length) {
    const from = at
    const isNegated = take(/-(?=\S)/uy) !== undefined
    const name = take(/[A-Za-z][\w]*(?=[.:])/uy)
    if (name === undefined) {
      const bare = single(/\S+/uy)
      if (!bare.isQuoted && /^or$/i.test(bare.text)) {
        throw new FilterError(
          'Terms cannot be combined with "or", because all terms must match. To match one of several values, put them in brackets: name:(a|b).',
          from,
          at,
        )
      }
      terms.push({ from, to: at, isNegated, field: undefined, key: undefined, value: { kind: 'single', sign: '', single: bare } })
      continue
    }
    const key = take(/\./uy) === undefined ? undefined : single(/[^\s":]*/uy).text
    if (take(/:/uy) === undefined) {
      throw new FilterError(`Write a colon and a value after ${text.slice(from, at)}, or put the text in quotation marks.`, from, at)
    }
    const given = value(from)
    terms.push({ from, to: at, isNegated, field: name, key, value: given })
  }
  return terms
}
