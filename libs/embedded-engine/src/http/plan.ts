// Converts a request to one checked statement, with a file for the data of an INSERT.
import { type DeniedNames, valuesSettings } from '../sql/denied.ts'
import { checkStatement, checkTokens } from '../sql/guard.ts'
import { checkIdentifierParameters, type NamedValue } from '../sql/identifiers.ts'
import { type InsertHead, parseInsertHead } from '../sql/insert.ts'
import { isSymbol, isWord, type Token, tokens } from '../sql/lexer.ts'
import { quoteString } from '../sql/quote.ts'

// The result has one character per UTF-8 byte (latin1), so that an index into it is also an index into the body.
export const toBytesText = (sql: string): string => Buffer.from(sql, 'utf8').toString('latin1')
const toSql = (bytesText: string): string => Buffer.from(bytesText, 'latin1').toString('utf8')

export type Plan =
  | { readonly kind: 'statement'; readonly sql: string; readonly verb: string; readonly format: string | null }
  | { readonly kind: 'insert'; readonly head: InsertHead; readonly dataStart: number }

const namedFormat = (list: readonly Token[]): string | null => {
  let depth = 0
  let format: string | null = null
  list.forEach((token, at) => {
    if (isSymbol(token, '(')) depth += 1
    else if (isSymbol(token, ')')) depth -= 1
    const name = list[at + 1]
    if (depth === 0 && isWord(token, 'FORMAT') && name?.kind === 'word') format = name.value
  })
  return format
}

/** `text` is a whole INSERT with its data, or only the beginning of an INSERT. Throws SqlRefused. */
export const planInsert = (text: string, names: DeniedNames, params: readonly NamedValue[]): Plan | null => {
  const head = parseInsertHead(text)
  if (head === null) return null
  checkTokens(head.tokens, names)
  checkIdentifierParameters(head.tokens, params, names)
  return { kind: 'insert', head, dataStart: head.dataStart }
}

/** For a statement without data. Throws SqlRefused. */
export const planStatement = (text: string, names: DeniedNames, params: readonly NamedValue[]): Plan => {
  const checked = checkStatement(text, names, params)
  const end = checked.tokens.at(-1)?.end ?? text.length
  return { kind: 'statement', sql: toSql(text.slice(0, end)), verb: checked.kind, format: namedFormat(checked.tokens) }
}

/** Applies the checks of SQL text to the data of an INSERT … VALUES, because the values in this data are SQL expressions. */
export const checkValuesData = (data: string, names: DeniedNames, params: readonly NamedValue[]): void => {
  const list = [...tokens(data)]
  checkTokens(list, names)
  checkIdentifierParameters(list, params, names)
}

/**
 * Builds the statement `INSERT … FROM INFILE`. The request's settings go into the SETTINGS clause of this statement, so that they apply
 * only to this statement.
 */
export const insertSql = (head: InsertHead, file: string, settings: readonly (readonly [string, string])[]): string => {
  const isValues = head.format.toLowerCase() === 'values'
  const own = head.settings === '' ? [] : [toSql(head.settings)]
  const all = [
    ...own,
    ...settings.map(([name, value]) => `${name} = ${quoteString(value)}`),
    ...(isValues ? valuesSettings.map(name => `${name} = 1`) : []),
  ]
  const clause = all.length === 0 ? '' : ` SETTINGS ${all.join(', ')}`
  return `${toSql(head.target).trimEnd()} FROM INFILE ${quoteString(file)} COMPRESSION 'none'${clause} FORMAT ${head.format}`
}
