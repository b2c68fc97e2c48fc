// Counts the tokens of a reply by kind. Each token is counted once: `input` excludes cached input, and `output` excludes reasoning.
import { type Fields, fieldsOf } from './values.ts'

export type Usage = Readonly<Record<string, number>>

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

function firstCount(usage: Fields, names: readonly string[]): number | undefined {
  return names.map(name => usage[name]).find(isCount)
}

function detailsOf(usage: Fields, names: readonly string[]): readonly (readonly [string, number])[] {
  const details = fieldsOf(names.map(name => usage[name]).find(value => typeof value === 'object' && value !== null))
  return Object.entries(details).filter((entry): entry is [string, number] => isCount(entry[1]))
}

function side(of: 'input' | 'output', count: number | undefined, details: readonly (readonly [string, number])[]): Record<string, number> {
  const counts: Record<string, number> = {}
  let others = 0
  for (const [name, value] of details) {
    counts[`${of}_${name}`] = value
    others += value
  }
  return count === undefined ? counts : { [of]: Math.max(0, count - others), ...counts }
}

/** Reads the usage of a response, in the format of chat completions or of the Responses API. */
export function usageOf(reply: Fields): Usage | undefined {
  const usage = fieldsOf(reply['usage'])
  const counts = {
    ...side(
      'input',
      firstCount(usage, ['prompt_tokens', 'input_tokens']),
      detailsOf(usage, ['prompt_tokens_details', 'input_tokens_details', 'input_token_details']),
    ),
    ...side(
      'output',
      firstCount(usage, ['completion_tokens', 'output_tokens']),
      detailsOf(usage, ['completion_tokens_details', 'output_tokens_details', 'output_token_details']),
    ),
  }
  const total = firstCount(usage, ['total_tokens'])
  const all = total === undefined ? counts : { ...counts, total }
  return Object.keys(all).length > 0 ? all : undefined
}

export function addUsage(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (!left || !right) return left ?? right
  const sum: Record<string, number> = { ...left }
  for (const [name, value] of Object.entries(right)) sum[name] = (sum[name] ?? 0) + value
  return sum
}
