// Splits an INSERT into its head and its inline data. The engine's library would end the data at the first blank line, and run the rest as
// SQL. The listener therefore writes the data to a file, which the engine reads with `INSERT … FROM INFILE`.
import { isSymbol, isWord, type Token, tokens } from './lexer.ts'
import { SqlRefused } from './refused.ts'

export interface InsertHead {
  /** The text `INSERT INTO table (columns)`, without the SETTINGS and FORMAT clauses. */
  readonly target: string
  /** Contents of the SETTINGS clause, such as `a = 1, b = 2`. Empty without this clause. */
  readonly settings: string
  readonly format: string
  readonly tokens: readonly Token[]
  readonly dataStart: number
}

/** Skips blanks and one line break, which ClickHouse does not count as data. */
const skipDataSeparator = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\f') at += 1
  if (text[at] === '\r') at += 1
  if (text[at] === '\n') at += 1
  return at
}

const selecting = ['SELECT', 'WITH', 'FROM', 'WATCH']

/**
 * If the statement is an INSERT that brings its own data, returns the head of this INSERT. Returns null for other statements, including
 * INSERT … SELECT. `text` may be incomplete: the beginning of the statement is enough. Throws SqlRefused.
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
