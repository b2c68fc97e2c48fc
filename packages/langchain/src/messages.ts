// Converts messages to the form that models receive.
import { type Fields, fieldsOf, hasItems, isObject, isPlain, textOf } from './values.ts'

export interface AnonymousLlmMessage {
  readonly content: unknown
  readonly tool_calls?: readonly unknown[] | undefined
  readonly tool_call_id?: string | undefined
  readonly additional_kwargs?: Fields | undefined
}

export interface LlmMessage extends AnonymousLlmMessage {
  readonly role: string
}

interface Message {
  readonly content: unknown
  readonly name?: unknown
  readonly tool_calls?: unknown
  readonly tool_call_id?: unknown
  readonly additional_kwargs?: unknown
  getType?(): string
  _getType?(): string
}

/** A message is recognized by its methods, not by its class, because an application can have several copies of LangChain. */
export function isMessage(value: unknown): value is Message {
  if (!isObject(value) || !('content' in value)) return false
  return typeof value['getType'] === 'function' || typeof value['_getType'] === 'function'
}

const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system', generic: 'human' }

export function convertMessage(message: Message): LlmMessage | AnonymousLlmMessage {
  const { content } = message
  const type = (message.getType ? message.getType() : message._getType?.()) ?? ''
  if (type === 'ai') return { role: 'assistant', content, ...(hasItems(message.tool_calls) && { tool_calls: message.tool_calls }) }
  const role = roles[type]
  if (role !== undefined) return { role, content }
  const name = textOf(message.name)
  if (type !== 'function' && type !== 'tool') return name === undefined ? { content } : { role: name, content }
  const extra = fieldsOf(message.additional_kwargs)
  return {
    role: name ?? type,
    content,
    ...(textOf(message.tool_call_id) !== undefined && { tool_call_id: message.tool_call_id as string }),
    ...(Object.keys(extra).length > 0 && { additional_kwargs: extra }),
  }
}

const areMessages = (value: unknown): boolean => hasItems(value) && value.every(isMessage)

/** Converts messages at any depth. */
export function convertMessages(value: unknown): unknown {
  if (isMessage(value)) return convertMessage(value)
  return Array.isArray(value) && value.some(isMessage) ? value.map(convertMessages) : value
}

/** A single message without tool calls becomes its text. */
function convertOne(message: Message): unknown {
  return typeof message.content === 'string' && !hasItems(message.tool_calls) ? message.content : convertMessage(message)
}

/**
 * Converts the messages in the fields, and returns all fields. But if the messages are the only field, or if `values` is a prompt value of
 * LangChain, returns only the messages.
 */
function convertFields(values: Fields, names: readonly string[]): unknown {
  const name = names.find(each => areMessages(values[each]))
  if (name !== undefined && (!isPlain(values) || Object.keys(values).length === 1)) return convertMessages(values[name])
  if (!isPlain(values)) return values
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, convertMessages(value)]))
}

export function chainInput(inputs: unknown): unknown {
  if (isMessage(inputs)) return convertOne(inputs)
  if (!isObject(inputs)) return convertMessages(inputs)
  if (typeof inputs['content'] === 'string' && Object.keys(inputs).length === 1) return inputs['content']
  return convertFields(inputs, ['input', 'messages'])
}

export function chainOutput(outputs: unknown): unknown {
  if (!isObject(outputs) || isMessage(outputs)) return convertMessages(outputs)
  if (typeof outputs['output'] === 'string') return outputs['output']
  return convertFields(outputs, ['messages'])
}

/** Returns the output of a tool. If the output is a message to the model, returns its content. */
export function toolOutput(output: unknown): unknown {
  return isMessage(output) ? convertOne(output) : convertMessages(output)
}
