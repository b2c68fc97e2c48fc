// Converts the prompt list's filter to conditions on versions (contract §18.1, grammar of contract §17.3).
import { AppError } from '@svc-server/errors'
import { type Expression, sql } from '../tenancy/sql.ts'

export interface PromptCondition {
  readonly column: string
  readonly type: string
  readonly operator: string
  readonly value: unknown
}

/** The types of condition that each column allows. */
const filterable: Readonly<Record<string, { readonly column: string; readonly types: readonly string[] }>> = {
  id: { column: 'id', types: ['string', 'stringOptions'] },
  name: { column: 'name', types: ['string', 'stringOptions'] },
  type: { column: 'type', types: ['string', 'stringOptions'] },
  version: { column: 'version', types: ['number'] },
  createdAt: { column: 'created_at', types: ['datetime'] },
  updatedAt: { column: 'updated_at', types: ['datetime'] },
  labels: { column: 'labels', types: ['arrayOptions'] },
  tags: { column: 'tags', types: ['arrayOptions'] },
}

type Compile = (column: Expression<unknown>, value: unknown) => Expression<boolean> | undefined

/** PostgreSQL rejects NUL and unpaired surrogates, so no stored text has them. */
const isStored = (text: string) => !text.includes('\0') && text.isWellFormed()
const always = (outcome: boolean) => sql<boolean>`${sql.lit(outcome)}`

const onText =
  (condition: (column: Expression<unknown>, text: string) => Expression<boolean>, otherwise: boolean): Compile =>
  (column, value) => {
    if (typeof value !== 'string') return undefined
    return isStored(value) ? condition(column, value) : always(otherwise)
  }

const onTexts =
  (condition: (column: Expression<unknown>, texts: string[]) => Expression<boolean>, atLeast = 1): Compile =>
  (column, value) => {
    const isList = Array.isArray(value) && value.length >= atLeast && value.every(each => typeof each === 'string')
    return isList ? condition(column, (value as string[]).filter(isStored)) : undefined
  }

const onNumber =
  (operator: string): Compile =>
  (column, value) =>
    typeof value === 'number' && Number.isFinite(value)
      ? sql<boolean>`${column} ${sql.raw(operator)} ${String(value)}::double precision`
      : undefined

/** v3's columns have no time zone and contain UTC, so the time is passed as an untyped text in UTC. */
const onTime =
  (operator: string): Compile =>
  (column, value) => {
    const date = new Date(typeof value === 'string' ? value : Number.NaN)
    return Number.isNaN(date.getTime()) ? undefined : sql<boolean>`${column} ${sql.raw(operator)} ${date}`
  }

const each = (operators: readonly string[], make: (operator: string) => Compile) =>
  Object.fromEntries(operators.map(operator => [operator, make(operator)]))

const operators: Readonly<Record<string, Readonly<Record<string, Compile>>>> = {
  string: {
    '=': onText((column, text) => sql<boolean>`${column} = ${text}`, false),
    contains: onText((column, text) => sql<boolean>`strpos(${column}, ${text}) > 0`, false),
    'does not contain': onText((column, text) => sql<boolean>`strpos(${column}, ${text}) = 0`, true),
    'starts with': onText((column, text) => sql<boolean>`starts_with(${column}, ${text})`, false),
    'ends with': onText((column, text) => sql<boolean>`right(${column}, length(${text})) = ${text}`, false),
  },
  stringOptions: {
    'any of': onTexts((column, texts) => sql<boolean>`${column} = any(${texts}::text[])`),
    'none of': onTexts((column, texts) => sql<boolean>`not ${column} = any(${texts}::text[])`),
  },
  arrayOptions: {
    'any of': onTexts((column, texts) => sql<boolean>`${column} && ${texts}::text[]`),
    'none of': onTexts((column, texts) => sql<boolean>`not ${column} && ${texts}::text[]`, 0),
    'all of': (column, value) =>
      // A value that cannot be stored matches no row.
      Array.isArray(value) && value.some(text => typeof text === 'string' && !isStored(text))
        ? always(false)
        : onTexts((of, texts) => sql<boolean>`${of} @> ${texts}::text[]`, 0)(column, value),
  },
  number: each(['=', '>', '<', '>=', '<='], onNumber),
  datetime: each(['>', '<', '>=', '<='], onTime),
}

const own = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined => (Object.hasOwn(of, name) ? of[name] : undefined)

/** Throws `bad_request` for an invalid column, operator, or value. */
export function conditionOn({ column, type, operator, value }: PromptCondition): Expression<boolean> {
  const known = own(filterable, column)
  const compile = known?.types.includes(type) ? own(own(operators, type) ?? {}, operator) : undefined
  const condition = compile?.(sql.ref(`prompts.${known!.column}`), value)
  if (condition !== undefined) return condition
  const what = known === undefined ? `The column ${column.slice(0, 80)} cannot be filtered by` : `The filter on ${column} is malformed`
  throw new AppError(
    'bad_request',
    `${what}: use ${Object.keys(filterable).join(', ')}, with a type, operator and value that belong together.`,
  )
}
