// Splits an INSERT with inline data into its head and its data. The engine's library damages or even executes inline data: it ends the data
// at the first blank line, and runs the rest as SQL. The data goes to a file, and the engine gets only the head as SQL.
import { isSymbol, isWord, type Token, tokens } from './lexer.ts'
import { SqlRefused } from './refused.ts'

export interface InsertHead {
  /** `INSERT INTO table (columns)`, without settings and format. */
  readonly target: string
  /** The contents of the statement's SETTINGS clause, for example `a = 1, b = 2`; empty if the statement has no such clause. */
  readonly settings: string
  readonly format: string
  /** Tokens of the statement's head, for the guard's check. */
  readonly tokens: readonly Token[]
  /** Index in the text at which the data begins. */
  readonly dataStart: number
}

/** Skips blanks and then at most one line break. ClickHouse does not count these characters as data. */
const skipDataSeparator = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\f') at += 1
  if (text[at] === '\r') at += 1
  if (text[at] === '\n') at += 1
  return at
}

const selecting = ['SELECT', 'WITH', 'FROM', 'WATCH']

/**
 * Returns the head of an INSERT whose data follows in the text or in the body; null for all other statements, including INSERT … SELECT.
 * `text` can be just the beginning of the whole text. The indexes also apply to the whole text. Throws SqlRefused for a head that cannot be
 * parsed.
 */
export const parseInsertHead = (text: string): InsertHead | null => {
  const head: Token[] = []
  let depth = 0
  let targetEnd: number | undefined
  let settingsStart: number | undefined
  let settingsEnd: number | undefined
  const finish = (format: string, dataStart: number, end: number): InsertHead => ({
    target: text.slice(head[0]!.start, targetEnd ?? end),
    settings: settingsStart === undefined ? '' : text.slice(settingsStart, settingsEnd ?? end).trim(),
    format,
    tokens: head,
    dataStart,
  })

  const source = tokens(text)
  for (let { value: token, done } = source.next(); !done; { value: token, done } = source.next()) {
    if (head.length === 0 && !isWord(token, 'INSERT')) return null
    head.push(token)
    if (isSymbol(token, '(')) depth += 1
    if (isSymbol(token, ')')) depth -= 1
    // `INSERT INTO t (SELECT …)` also has no data.
    if (selecting.some(word => isWord(token, word)) && (depth === 0 || isSymbol(head.at(-2), '('))) return null
    if (depth > 0) continue
    if (isSymbol(token, ';')) throw new SqlRefused('SYNTAX_ERROR', "You have excessive ';' symbol before data for INSERT.")
    if (isWord(token, 'SETTINGS') && settingsStart === undefined && head.length > 3) {
      targetEnd = token.start
      settingsStart = token.end
    } else if (isWord(token, 'VALUES') && head.length > 3) {
      settingsEnd = token.start
      targetEnd ??= token.start
      return finish('Values', token.end, token.end)
    } else if (isWord(token, 'FORMAT') && head.length > 3) {
      const name = source.next()
      if (name.done || name.value.kind !== 'word') throw new SqlRefused('SYNTAX_ERROR', 'FORMAT needs the name of a format')
      head.push(name.value)
      settingsEnd = token.start
      targetEnd ??= token.start
      return finish(name.value.value, skipDataSeparator(text, name.value.end), name.value.end)
    }
  }
  if (head.length === 0) return null
  if (depth > 0) throw new SqlRefused('SYNTAX_ERROR', 'The column list of the INSERT is not closed')
  return finish('Values', text.length, text.length)
}
