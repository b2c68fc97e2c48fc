// Counts the tokens that a model used in a run, by kind. Each token is counted once: `input` excludes cached input, and `output` excludes
// reasoning.
import { fieldsOf } from './values.ts'

type Counts = Readonly<Record<string, number>>

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

function side(of: 'input' | 'output', count: unknown, details: unknown): Counts {
  const entries = Object.entries(fieldsOf(details)).filter((entry): entry is [string, number] => isCount(entry[1]))
  const others = entries.reduce((sum, [, value]) => sum + value, 0)
  return {
    ...(isCount(count) && { [of]: Math.max(0, count - others) }),
    ...Object.fromEntries(entries.map(([name, value]) => [`${of}_${name}`, value])),
  }
}

function counts(input: Counts, output: Counts, total: unknown): Counts | undefined {
  const all = { ...input, ...output, ...(isCount(total) && { total }) }
  return Object.keys(all).length > 0 ? all : undefined
}

export function usageOf(message: unknown, llmOutput: unknown): Counts | undefined {
  const usage = fieldsOf(fieldsOf(message)['usage_metadata'])
  const ofMessage = counts(
    side('input', usage['input_tokens'], usage['input_token_details']),
    side('output', usage['output_tokens'], usage['output_token_details']),
    usage['total_tokens'],
  )
  if (ofMessage) return ofMessage
  const { tokenUsage, estimatedTokenUsage } = fieldsOf(llmOutput)
  const reported = fieldsOf(tokenUsage ?? estimatedTokenUsage)
  return counts(
    side('input', reported['promptTokens'], undefined),
    side('output', reported['completionTokens'], undefined),
    reported['totalTokens'],
  )
}
