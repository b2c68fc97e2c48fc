// Splits a statement into tokens, as the engine's lexer does. A search in the text would find `file(` in string literals, and miss a quoted
// `file`. Syntax that two lexers could read differently (smart quotes, heredocs, nested comments, bare non-ASCII) is refused.
import { SqlRefused } from './refused.ts'

type TokenKind = 'word' | 'quoted' | 'string' | 'number' | 'symbol'

export interface Token {
  readonly kind: TokenKind
  /** The text of the token. Strings and quoted identifiers are without quotes and escapes. */
  readonly value: string
  readonly start: number
  /** Index after the token. */
  readonly end: number
}

const space = /[ \t\n\r\f\v]/
const wordStart = /[A-Za-z_]/
const wordPart = /[A-Za-z0-9_$]/
const digit = /[0-9]/
const numberPart = /[0-9A-Za-z_.]/

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', b: '\b', f: '\f', a: '\x07', v: '\v', e: '\x1b' }

/** For each quote, a pattern that finds the end of a run of ordinary characters. */
const ends: Readonly<Record<string, RegExp>> = { "'": /['\\]/g, '"': /["\\]/g, '`': /[`\\]/g }

/**
 * A doubled quote or a backslash escape inside the quotes is one character. A run of ordinary characters, possibly megabytes of ids, is
 * skipped in one step.
 */
const readQuoted = (sql: string, start: number, quote: string): { value: string; end: number } => {
  const end = ends[quote]!
  let value = ''
  let at = start + 1
  while (at < sql.length) {
    const char = sql[at]!
    if (char === quote) {
      if (sql[at + 1] !== quote) return { value, end: at + 1 }
      value += quote
      at += 2
    } else if (char === '\\') {
      const next = sql[at + 1]
      const hex = next === 'x' ? /^[0-9a-fA-F]{2}/.exec(sql.slice(at + 2, at + 4))?.[0] : undefined
      if (next === undefined) break
      value += hex === undefined ? (escapes[next] ?? next) : String.fromCharCode(Number.parseInt(hex, 16))
      at += hex === undefined ? 2 : 4
    } else {
      end.lastIndex = at
      const until = end.exec(sql)?.index ?? sql.length
      value += sql.slice(at, until)
      at = until
    }
  }
  throw new SqlRefused('SYNTAX_ERROR', `A ${quote} that opens at position ${start + 1} is not closed.`)
}

const skipComment = (sql: string, start: number): number | null => {
  if (sql.startsWith('--', start)) {
    const end = sql.indexOf('\n', start)
    return end < 0 ? sql.length : end + 1
  }
  if (!sql.startsWith('/*', start)) return null
  const end = sql.indexOf('*/', start + 2)
  if (end < 0) throw new SqlRefused('SYNTAX_ERROR', 'A comment is not closed.')
  if (sql.slice(start + 2, end).includes('/*')) throw new SqlRefused('SYNTAX_ERROR', 'A comment inside a comment is not allowed here.')
  return end + 2
}

/**
 * Yields the tokens from position `from`. Reads each token only when the caller asks for it, so that a caller can stop before the data of
 * an INSERT. Throws SqlRefused (SYNTAX_ERROR) for an unclosed token or an ambiguous text.
 */
export function* tokens(sql: string, from = 0): Generator<Token> {
  let at = from
  while (at < sql.length) {
    const char = sql[at]!
    if (space.test(char)) {
      at += 1
      continue
    }
    const afterComment = skipComment(sql, at)
    if (afterComment !== null) {
      at = afterComment
      continue
    }
    const start = at
    if (wordStart.test(char)) {
      do at += 1
      while (at < sql.length && wordPart.test(sql[at]!))
      yield { kind: 'word', value: sql.slice(start, at), start, end: at }
    } else if (digit.test(char)) {
      do at += 1
      while (at < sql.length && numberPart.test(sql[at]!))
      yield { kind: 'number', value: sql.slice(start, at), start, end: at }
    } else if (char === "'" || char === '"' || char === '`') {
      const { value, end } = readQuoted(sql, start, char)
      at = end
      yield { kind: char === "'" ? 'string' : 'quoted', value, start, end }
    } else if (char === '$' || char === '#' || char === '\0' || char > '~') {
      throw new SqlRefused('SYNTAX_ERROR', `The character ${JSON.stringify(char)} at position ${start + 1} is only allowed inside quotes.`)
    } else {
      at += 1
      yield { kind: 'symbol', value: char, start, end: at }
    }
  }
}

/** Unquoted, ignoring case. */
export const isWord = (token: Token | undefined, word: string): boolean => token?.kind === 'word' && token.value.toUpperCase() === word

export const isSymbol = (token: Token | undefined, symbol: string): boolean => token?.kind === 'symbol' && token.value === symbol
