// Reads usage from a JSON object. The object comes from the product's own SDKs, or has one of the two formats in which OpenAI reports
// usage.

import type { Amounts } from '@svc-server/pricing/amounts'
import { isJsonObject, type JsonObject } from '../span-view/json-text.ts'
import { countOfJson, setCount, without } from './units.ts'

interface Shape {
  readonly input: string
  readonly output: string
  readonly inputDetails: string
  readonly outputDetails: string
}

const shapes: readonly Shape[] = [
  {
    input: 'prompt_tokens',
    output: 'completion_tokens',
    inputDetails: 'prompt_tokens_details',
    outputDetails: 'completion_tokens_details',
  },
  { input: 'input_tokens', output: 'output_tokens', inputDetails: 'input_tokens_details', outputDetails: 'output_tokens_details' },
]
const total = 'total_tokens'

/** Returns false if a member is not a count. The other counts are still written. */
export function readUsage(object: JsonObject, into: Amounts): boolean {
  into.clear()
  for (const shape of shapes) if (isShape(object, shape)) return readShape(object, shape, into)
  let whole = true
  for (const [name, value] of Object.entries(object)) {
    const count = countOfJson(value)
    if (count === undefined) whole = false
    else setCount(into, name, count)
  }
  return whole
}

/**
 * True if the object has the counts and details of the shape, and no other keys. An object with other keys is a custom map that happens to
 * use some of the same names.
 */
const isShape = (object: JsonObject, { input, output, inputDetails, outputDetails }: Shape): boolean =>
  [input, output, total].every(name => isNumber(object[name])) &&
  [inputDetails, outputDetails].every(name => isDetails(object[name])) &&
  Object.keys(object).every(name => [input, output, total, inputDetails, outputDetails].includes(name))

const isNumber = (value: unknown) => typeof value !== 'string' && countOfJson(value) !== undefined

const isDetails = (value: unknown): value is JsonObject | null | undefined =>
  value == null || (isJsonObject(value) && Object.values(value).every(count => count === null || isNumber(count)))

function readShape(object: JsonObject, shape: Shape, into: Amounts): true {
  for (const side of ['input', 'output'] as const) {
    let base = countOfJson(object[shape[side]])!
    const details = Object.entries((object[shape[`${side}Details`]] ?? {}) as JsonObject)
    setCount(into, side, base)
    for (const [name, value] of details) {
      const count = countOfJson(value)
      if (count === undefined) continue
      setCount(into, `${side}_${name}`, count)
      base = without(base, count)
    }
    setCount(into, side, base)
  }
  setCount(into, 'total', countOfJson(object[total])!)
  return true
}
