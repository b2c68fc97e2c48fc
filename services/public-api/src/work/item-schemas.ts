// Clients write these schemas, so a worker thread applies the schemas within a time limit, and never fetches the target of a `$ref`.
import { parseStoredJson } from '@svc-server/json'
import type { CheckedItem, DatasetSchemas } from '@svc-server/relational/datasets'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { InvalidBody } from '../validation/invalid-body.ts'
import { refused } from '../validation/refusals.ts'
import { OutOfTime, withinTime } from './time-limit.ts'

export interface ItemCheck extends DatasetSchemas {
  readonly kind: 'items'
  readonly items: readonly CheckedItem[]
}

export interface Violation {
  readonly id: string
  readonly field: 'input' | 'expectedOutput'
  readonly message: string
}

type Field = 'inputSchema' | 'expectedOutputSchema'

/** Maximum time for one check. Without a limit, some patterns in a schema could take years to match. */
const maxMs = 2_000
/** A job checks items until it has found this number of violations. */
const maxViolations = 20

const options = { strict: false, validateFormats: true, logger: false, ownProperties: true } as const

/** Default: draft 7. */
function validatorFor(dialect: unknown) {
  if (typeof dialect !== 'string') return new Ajv(options)
  if (dialect.includes('2020-12')) return new Ajv2020(options)
  if (dialect.includes('2019-09')) return new Ajv2019(options)
  return new Ajv(options)
}

function compile(text: string): ValidateFunction {
  const { $schema, ...schema } = parseStoredJson(text) as Readonly<Record<string, unknown>>
  if ($schema !== undefined && typeof $schema !== 'string') throw new Error('$schema must be a text')
  if (schema['$async'] !== undefined) throw new Error('$async is not JSON Schema')
  const ajv = validatorFor($schema)
  // The type assertion is needed, because the package's types describe only its CommonJS form.
  ;(addFormats as unknown as (to: Ajv) => void)(ajv as Ajv)
  return ajv.compile(schema)
}

const compiled = new LRUCache<string, ValidateFunction>({ max: 100 })

/** Throws InvalidBody for an invalid JSON Schema. */
function compiledOf(text: string | null, field: Field): ValidateFunction | undefined {
  if (text === null) return undefined
  const found = compiled.get(text)
  if (found !== undefined) return found
  try {
    const made = compile(text)
    compiled.set(text, made)
    return made
  } catch (error) {
    throw new InvalidBody(refused(`Is not a JSON Schema of draft 7: ${(error as Error).message}`, [field]))
  }
}

const sentenceOf = (field: Violation['field'], errors: readonly ErrorObject[]) =>
  errors.map(({ instancePath, message }) => `${field}${instancePath} ${message ?? 'is invalid'}`.slice(0, 300)).join('; ')

function check(
  validate: ValidateFunction | undefined,
  { id }: CheckedItem,
  field: Violation['field'],
  text: string | null,
): readonly Violation[] {
  if (validate === undefined) return []
  try {
    if (validate(text === null ? null : parseStoredJson(text)) === true) return []
    return [{ id, field, message: sentenceOf(field, validate.errors ?? []) }]
  } catch (error) {
    // A RangeError means that the schema refers to itself at the same position of the value, so that the check overflows the stack.
    if (error instanceof RangeError)
      return [{ id, field, message: `${field} cannot be checked, because its schema refers to itself infinitely` }]
    throw error
  }
}

/** Returns the violations of the items, in order. Stops after the item at which `maxViolations` is reached. Throws InvalidBody. */
export function violationsOf({ inputSchema, expectedOutputSchema, items }: ItemCheck): readonly Violation[] {
  let field: Field = inputSchema === null ? 'expectedOutputSchema' : 'inputSchema'
  try {
    return withinTime(() => {
      const input = compiledOf(inputSchema, 'inputSchema')
      const expectedOutput = compiledOf(expectedOutputSchema, 'expectedOutputSchema')
      const found: Violation[] = []
      for (const item of items) {
        field = 'inputSchema'
        for (const violation of check(input, item, 'input', item.input)) found.push(violation)
        field = 'expectedOutputSchema'
        for (const violation of check(expectedOutput, item, 'expectedOutput', item.expectedOutput)) found.push(violation)
        if (found.length >= maxViolations) break
      }
      return found
    }, maxMs)
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error
    throw new InvalidBody(refused(`Takes longer than ${maxMs / 1000} s to check. Simplify its patterns.`, [field]))
  }
}
