// Accepts a single statement of a known kind, without names that give access to files or to the network.
import { type DeniedNames, deniedSettings, valuesSettings } from './denied.ts'
import { checkIdentifierParameters, type NamedValue } from './identifiers.ts'
import { isSymbol, isWord, type Token, tokens } from './lexer.ts'
import { SqlRefused } from './refused.ts'

const statementKinds: ReadonlySet<string> = new Set(
  `SELECT WITH FROM INSERT CREATE ATTACH DETACH DROP UNDROP TRUNCATE RENAME EXCHANGE REPLACE ALTER DELETE UPDATE OPTIMIZE CHECK
   SHOW DESCRIBE DESC EXISTS EXPLAIN USE SET KILL SYSTEM VALUES`.split(/\s+/),
)

const denied = (what: string): SqlRefused =>
  new SqlRefused('ACCESS_DENIED', `${what} is not allowed on the embedded engine: it could reach files or other hosts.`)

const isName = (token: Token | undefined): token is Token => token?.kind === 'word' || token?.kind === 'quoted'

/** True for the scalar function `format('{} {}', …)`. In the table function `format`, the first argument is the name of a format. */
const isTextFormat = (list: readonly Token[], at: number): boolean => {
  const [first, behind] = [list[at + 2], list[at + 3]]
  return (
    list[at]!.value.toLowerCase() === 'format' &&
    first?.kind === 'string' &&
    first.value.includes('{') &&
    (isSymbol(behind, ',') || isSymbol(behind, ')'))
  )
}

const checkName = (list: readonly Token[], at: number, names: DeniedNames): void => {
  const { value } = list[at]!
  const name = value.toLowerCase()
  if (names.anywhere.has(name)) throw denied(`The name ${value}`)
  if (isSymbol(list[at + 1], '(') && names.functions.has(name) && !isTextFormat(list, at)) throw denied(`${value}()`)
}

/**
 * The engine's library contains a client. With some pairs of keywords, this client reads or writes files without the engine's access
 * control. The guard refuses these pairs.
 */
const checkKeywords = (token: Token, next: Token | undefined): void => {
  if (isWord(token, 'INTO') && isWord(next, 'OUTFILE')) throw denied('INTO OUTFILE')
  if (isWord(token, 'FROM') && isWord(next, 'INFILE')) throw denied('FROM INFILE')
  if ((isWord(token, 'INTO') || isWord(token, 'TABLE')) && isWord(next, 'FUNCTION')) throw denied('INTO FUNCTION')
}

const anywhere: ReadonlySet<string> = new Set(valuesSettings)

const checkSetting = (name: Token, next: Token | undefined): void => {
  const setting = name.value.toLowerCase()
  if (anywhere.has(setting) || (isSymbol(next, '=') && deniedSettings.has(setting))) throw refusedSetting(name.value)
}

export const refusedSetting = (name: string): SqlRefused =>
  new SqlRefused('SETTING_CONSTRAINT_VIOLATION', `Setting ${name} should not be changed`)

/**
 * Throws if the statement names a denied engine, as in `ENGINE = File` or `ENGINE File`. The function ignores the word ENGINE inside
 * parentheses, because it can only be a column there.
 */
const checkEngines = (list: readonly Token[], names: DeniedNames): void => {
  let depth = 0
  list.forEach((token, at) => {
    if (isSymbol(token, '(')) depth += 1
    if (isSymbol(token, ')')) depth -= 1
    if (depth > 0 || !isWord(token, 'ENGINE')) return
    const name = list[isSymbol(list[at + 1], '=') ? at + 2 : at + 1]
    if (isName(name) && names.engines.has(name.value.toLowerCase())) throw denied(`ENGINE ${name.value}`)
  })
}

const checkDefinition = (list: readonly Token[], names: DeniedNames): void => {
  if (list.slice(0, 4).some(token => isWord(token, 'DICTIONARY'))) throw denied('A dictionary')
  if (isWord(list[0], 'ATTACH') && list.some((token, at) => isWord(token, 'FROM') && list[at + 1]?.kind === 'string'))
    throw denied('ATTACH … FROM')
  checkEngines(list, names)
}

const withoutTerminator = (list: readonly Token[]): readonly Token[] => {
  const end = list.findIndex(token => isSymbol(token, ';'))
  if (end < 0) return list
  if (list.slice(end).some(token => !isSymbol(token, ';'))) throw new SqlRefused('SYNTAX_ERROR', 'Multi-statements are not allowed')
  return list.slice(0, end)
}

/** Checks any piece of SQL, including the expressions in a VALUES list. */
export const checkTokens = (list: readonly Token[], names: DeniedNames): void => {
  list.forEach((token, at) => {
    const next = list[at + 1]
    if (token.kind === 'word') checkKeywords(token, next)
    if (isName(token)) {
      checkName(list, at, names)
      checkSetting(token, next)
    }
    if (isSymbol(token, '}') && isSymbol(next, '(')) throw denied('A function named by a parameter')
  })
}

export interface CheckedStatement {
  /** The first word of the statement, in upper case. It is SELECT for a statement in parentheses. */
  readonly kind: string
  readonly tokens: readonly Token[]
}

/**
 * Checks a statement that contains no inline data. Throws SqlRefused: SYNTAX_ERROR (no statement, or several), ACCESS_DENIED or
 * SETTING_CONSTRAINT_VIOLATION.
 */
export const checkStatement = (sql: string, names: DeniedNames, params: readonly NamedValue[] = []): CheckedStatement => {
  const list = withoutTerminator([...tokens(sql)])
  const first = list.find(token => !isSymbol(token, '('))
  if (first === undefined) throw new SqlRefused('SYNTAX_ERROR', 'Empty query')
  const kind = first.value.toUpperCase()
  if (first.kind !== 'word' || !statementKinds.has(kind))
    throw new SqlRefused('SYNTAX_ERROR', `The embedded engine runs no statement that begins with ${first.value}`)
  if (kind === 'KILL' && isWord(list[1], 'QUERY'))
    throw new SqlRefused(
      'ACCESS_DENIED',
      'KILL QUERY is not allowed on the embedded engine, because it could end inserts. A query ends when its client disconnects.',
    )
  checkTokens(list, names)
  checkIdentifierParameters(list, params, names)
  if (kind === 'CREATE' || kind === 'ATTACH' || kind === 'REPLACE' || kind === 'EXPLAIN') checkDefinition(list, names)
  return { kind: first === list[0] ? kind : 'SELECT', tokens: list }
}
