import type { SvcGenerationAttributes } from '@svc/tracing'
import { convertMessage, convertMessages, isMessage } from './messages.ts'
import { usageOf } from './usage.ts'
import { type Fields, fieldsOf, hasItems, textOf } from './values.ts'

const parameterNames: readonly string[] = ['temperature', 'max_tokens', 'top_p', 'frequency_penalty', 'presence_penalty', 'request_timeout']

const isSet = (value: unknown): boolean => value !== undefined && value !== null

function parametersOf(invocation: Fields): SvcGenerationAttributes['modelParameters'] {
  const entries = parameterNames.filter(name => isSet(invocation[name])).map(name => [name, invocation[name]] as const)
  return entries.length > 0 ? (Object.fromEntries(entries) as Record<string, string | number>) : undefined
}

/** `messages` are chat messages, or the prompts of a text model. */
export function modelStart(messages: readonly unknown[], extra: unknown, metadata: Fields): SvcGenerationAttributes {
  const invocation = fieldsOf(fieldsOf(extra)['invocation_params'])
  const { tools, tool_choice } = invocation
  const converted = messages.flatMap(each => convertMessages(each))
  const isWithTools = hasItems(tools) || isSet(tool_choice)
  return {
    input: isWithTools ? { messages: converted, ...(hasItems(tools) && { tools }), ...(isSet(tool_choice) && { tool_choice }) } : converted,
    model: textOf(invocation['model']) ?? textOf(metadata['ls_model_name']),
    modelParameters: parametersOf(invocation),
  }
}

/** Returns the last generation of the last prompt. Earlier generations belong to earlier attempts. */
function lastGeneration(result: Fields): Fields {
  const { generations } = result
  const last: unknown = hasItems(generations) ? generations.at(-1) : undefined
  return fieldsOf(hasItems(last) ? last.at(-1) : last)
}

export function modelEnd(result: unknown): SvcGenerationAttributes {
  const generation = lastGeneration(fieldsOf(result))
  const { message } = generation
  const { model_name, model } = fieldsOf(fieldsOf(message)['response_metadata'])
  return {
    output: isMessage(message) ? convertMessage(message) : generation['text'],
    model: textOf(model_name) ?? textOf(model),
    usageDetails: usageOf(message, fieldsOf(result)['llmOutput']),
  }
}
