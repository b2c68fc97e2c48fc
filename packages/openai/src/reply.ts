// Converts a call's reply to attributes of its generation.
import type { SvcGenerationAttributes } from '@svc/tracing'
import type { ModelParameters } from './request.ts'
import { usageOf } from './usage.ts'
import { type Fields, fieldsOf, isObject, listOf, pick, textOf } from './values.ts'

const parameterNames: readonly string[] = [
  'max_output_tokens',
  'parallel_tool_calls',
  'store',
  'temperature',
  'tool_choice',
  'top_p',
  'truncation',
  'user',
]

const metadataNames: readonly string[] = [
  'reasoning',
  'incomplete_details',
  'instructions',
  'previous_response_id',
  'tools',
  'metadata',
  'status',
  'error',
]

/**
 * True for a message item or a reasoning item. If a reply has text, and each item of the reply is a message item or a reasoning item, only
 * the text is recorded.
 */
const isOfText = (item: unknown): boolean => ['message', 'reasoning'].includes(String(fieldsOf(item)['type']))

function textOfItems(items: readonly unknown[]): string | undefined {
  const parts = items.flatMap(item => listOf(fieldsOf(item)['content'])).map(fieldsOf)
  const texts = parts.filter(part => part['type'] === 'output_text').map(part => String(part['text'] ?? ''))
  return texts.length > 0 ? texts.join('') : undefined
}

/** Returns the text of the items. If the text is empty or an item is not text, returns the items. */
export function outputOfItems(items: readonly unknown[], text: string | undefined = textOfItems(items)): unknown {
  if (text && items.every(isOfText)) return text
  return items.length > 1 ? items : (items[0] ?? text)
}

function outputOf(reply: Fields): unknown {
  const text = textOf(reply['output_text'])
  if (Array.isArray(reply['output'])) return outputOfItems(reply['output'], text || undefined)
  if (text) return text
  const choice = fieldsOf(listOf(reply['choices'])[0])
  return choice['message'] ?? choice['text']
}

function failureOf(reply: Fields): SvcGenerationAttributes {
  if (reply['object'] !== 'response' || reply['status'] !== 'failed') return {}
  return { level: 'ERROR', statusMessage: textOf(fieldsOf(reply['error'])['message']) ?? 'The response failed' }
}

/** `parameters` come from the request; values in the reply take precedence. */
export function replyAttributes(reply: unknown, parameters: ModelParameters): SvcGenerationAttributes {
  if (typeof reply === 'string') return { output: reply }
  // A `Response` is not read, because only the application may read its body.
  if (!isObject(reply) || 'headers' in reply) return {}
  const told = pick(reply, parameterNames, value => value !== undefined && value !== null)
  const metadata = pick(reply, metadataNames, Boolean)
  return {
    model: textOf(reply['model']),
    output: outputOf(reply),
    usageDetails: usageOf(reply),
    modelParameters: { ...parameters, ...(told as ModelParameters) },
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...failureOf(reply),
  }
}
