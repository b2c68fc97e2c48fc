// Converts the chat formats of all clients to one form. Unknown parts are shown as JSON, so no content is hidden.
import { isRecord, parseExact } from './exact.ts'

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly kind: 'result'; readonly id: string; readonly name: string; readonly content: unknown }
  /** `source` is a data URI, an address, or a reference to stored media. */
  | { readonly kind: 'media'; readonly mime: string; readonly source: string }
  | { readonly kind: 'other'; readonly value: unknown }

export interface Message {
  readonly role: string
  readonly parts: readonly Part[]
  readonly finish?: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const first = (...values: readonly unknown[]): string => values.map(text).find(each => each !== undefined) ?? ''
const list = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)
const record = (value: unknown): Fields => (isRecord(value) ? value : {})

/** Arguments are an object, or the JSON text of an object. */
const argumentsOf = (value: unknown): unknown => (typeof value === 'string' ? (parseExact(value) ?? value) : (value ?? {}))

/** Returns undefined if the value is not a chat. */
export function chatOf(value: unknown): readonly Message[] | undefined {
  const messages = messagesIn(value, 0)
  return messages !== undefined && messages.length > 0 ? messages : undefined
}

/** Maximum depth of nested messages. No known client exceeds this depth. */
const deepest = 4

function messagesIn(value: unknown, depth: number): readonly Message[] | undefined {
  if (depth > deepest) return undefined
  const many = list(value)
  if (many !== undefined) return inList(many, depth)
  if (!isRecord(value)) return undefined
  if (list(value['choices']) !== undefined) return inChoices(list(value['choices'])!, depth)
  if (list(value['candidates']) !== undefined) return every(list(value['candidates'])!.map(each => candidate(record(each))))
  if (list(value['generations']) !== undefined) return inList(list(value['generations'])!.flat(), depth + 1)
  const inner =
    value['messages'] ?? value['contents'] ?? (list(value['input']) !== undefined || text(value['input']) ? value['input'] : undefined)
  const system = systemOf(value['system'] ?? value['systemInstruction'] ?? value['system_instruction'] ?? value['instructions'])
  if (inner !== undefined && value['role'] === undefined) {
    const said =
      typeof inner === 'string'
        ? system.length > 0
          ? [{ role: 'user', parts: textParts(inner) }]
          : undefined
        : messagesIn(inner, depth + 1)
    if (said !== undefined) return [...system, ...said]
  }
  const { output } = value
  if (isRecord(output) && isRecord(output['message'])) return every([message(output['message'])])
  if (list(output) !== undefined && value['role'] === undefined) return messagesIn(output, depth + 1)
  if (isRecord(value['message']) && value['role'] === undefined) return every([message(value['message'], value['finish_reason'])])
  // An AI SDK result has no role.
  if (value['role'] === undefined && (text(value['text']) !== undefined || list(value['toolCalls']) !== undefined))
    return aiSdkResult(value)
  const one = message(value)
  return one === undefined ? undefined : [one]
}

function inList(values: readonly unknown[], depth: number): readonly Message[] | undefined {
  if (values.length === 0) return undefined
  // A LangChain batch is a list of lists.
  if (values.every(Array.isArray)) return values.length === 1 ? messagesIn(values[0], depth + 1) : undefined
  const found = values.map(each => (isRecord(each) ? (message(each) ?? item(each)) : undefined))
  return merged(every(found))
}

const every = (messages: readonly (Message | undefined)[]): readonly Message[] | undefined =>
  messages.every(each => each !== undefined) ? messages : undefined

/** OpenAI's responses contain single items, so adjacent items with equal roles form one message. */
function merged(messages: readonly (Message & { readonly isItem?: boolean })[] | undefined): readonly Message[] | undefined {
  if (messages === undefined) return undefined
  const all: Message[] = []
  for (const { isItem, ...each } of messages) {
    const last = all.at(-1)
    if (isItem === true && last !== undefined && last.role === each.role)
      all[all.length - 1] = { ...last, parts: [...last.parts, ...each.parts] }
    else all.push(each)
  }
  return all
}

function inChoices(choices: readonly unknown[], depth: number): readonly Message[] | undefined {
  if (depth > deepest) return undefined
  return every(
    choices.map(each => {
      const choice = record(each)
      const said = record(choice['message'] ?? choice['delta'])
      if (Object.keys(said).length > 0) return message({ role: 'assistant', ...said }, choice['finish_reason'])
      return text(choice['text']) === undefined
        ? undefined
        : { role: 'assistant', parts: textParts(text(choice['text'])!), finish: text(choice['finish_reason']) }
    }),
  )
}

function candidate({ content, finishReason }: Fields): Message | undefined {
  return isRecord(content) ? message({ role: 'model', ...content }, finishReason) : undefined
}

function systemOf(value: unknown): readonly Message[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return value === '' ? [] : [{ role: 'system', parts: textParts(value) }]
  const parts = isRecord(value) && list(value['parts']) !== undefined ? list(value['parts'])! : (list(value) ?? [value])
  return parts.length === 0 ? [] : [{ role: 'system', parts: parts.flatMap(part) }]
}

function aiSdkResult(value: Fields): readonly Message[] {
  const reasoning = value['reasoning'] ?? value['reasoningText']
  const parts: readonly Part[] = [
    ...(list(reasoning)?.map(each => ({ kind: 'reasoning', text: first(record(each)['text']) }) as const) ?? reasoningOf(text(reasoning))),
    ...textParts(text(value['text']) ?? ''),
    ...(list(value['toolCalls']) ?? []).map(call),
    ...(list(value['toolResults']) ?? []).flatMap(part),
  ]
  return [{ role: 'assistant', parts, finish: text(value['finishReason']) }]
}

const textParts = (said: string): readonly Part[] => (said === '' ? [] : [{ kind: 'text', text: said }])
const reasoningOf = (said: string | undefined): readonly Part[] =>
  said === undefined || said === '' ? [] : [{ kind: 'reasoning', text: said }]

const langChainRoles: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  tool: 'tool',
  function: 'tool',
  HumanMessage: 'user',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  FunctionMessage: 'tool',
}

/** Returns undefined if the value is not a message. */
function message(given: Fields, finishReason?: unknown): Message | undefined {
  const value = unwrapped(given)
  const role = text(value['role']) ?? langChainRoles[text(value['type']) ?? '']
  if (role === undefined) return undefined
  const content = value['content'] ?? value['parts']
  const more = record(value['additional_kwargs'])
  const toolCalls = list(value['tool_calls']) ?? list(more['tool_calls']) ?? list(value['toolCalls']) ?? []
  const legacy = value['function_call'] ?? more['function_call']
  const known = content !== undefined || toolCalls.length > 0 || legacy !== undefined || value['refusal'] !== undefined
  if (!known) return undefined
  const finish = text(finishReason) ?? text(value['finish_reason']) ?? text(value['stop_reason'])
  const said = partsOf(content)
  const resultOf = text(value['tool_call_id']) ?? text(value['toolCallId'])
  if (role === 'tool' || role === 'function' || resultOf !== undefined) {
    const isParts = said.length > 0 && said.every(each => each.kind === 'result')
    if (isParts) return { role: 'tool', parts: said, finish }
    return {
      role: 'tool',
      parts: [{ kind: 'result', id: resultOf ?? '', name: first(value['name']), content: argumentsOf(content) }],
      finish,
    }
  }
  const called = new Set(said.flatMap(each => (each.kind === 'call' ? [each.id] : [])))
  const parts: readonly Part[] = [
    ...reasoningOf(text(value['reasoning_content']) ?? text(value['reasoning'])),
    ...said,
    ...textParts(text(value['refusal']) ?? ''),
    // LangChain's list of tool calls repeats the calls of Anthropic's content. A call whose id occurs in the content is left out.
    ...toolCalls.map(call).filter(each => each.kind !== 'call' || each.id === '' || !called.has(each.id)),
    ...(isRecord(legacy) ? [call(legacy)] : []),
  ]
  return { role, parts, ...(finish !== undefined && { finish }) }
}

/** Unwraps a LangChain message that is serialized (`lc`, `kwargs`), stored (`type`, `data`), or inside a generation. */
function unwrapped(value: Fields): Fields {
  if (isRecord(value['kwargs']) && list(value['id']) !== undefined) {
    return {
      type: list(value['id'])!.at(-1),
      ...value['kwargs'],
      ...(langChainRoles[text(value['kwargs']['type']) ?? ''] === undefined && { type: list(value['id'])!.at(-1) }),
    }
  }
  if (isRecord(value['data']) && langChainRoles[text(value['type']) ?? ''] !== undefined) return { ...value['data'], type: value['type'] }
  if (isRecord(value['message']) && value['role'] === undefined && text(value['text']) !== undefined) return unwrapped(value['message'])
  return value
}

function partsOf(content: unknown): readonly Part[] {
  if (typeof content === 'string') return textParts(content)
  if (content === null || content === undefined) return []
  const parts = list(content)
  return parts === undefined ? part(content) : parts.flatMap(part)
}

/** An item in the format of the OpenAI Responses API: a message or part of a message. */
function item(value: Fields): (Message & { readonly isItem: boolean }) | undefined {
  const type = text(value['type'])
  if (type === 'function_call' || type === 'custom_tool_call') return { role: 'assistant', parts: [call(value)], isItem: true }
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    const result: Part = { kind: 'result', id: first(value['call_id']), name: '', content: argumentsOf(value['output']) }
    return { role: 'tool', parts: [result], isItem: true }
  }
  if (type === 'reasoning') {
    const said = [...(list(value['summary']) ?? []), ...(list(value['content']) ?? [])].map(each => first(record(each)['text']))
    return { role: 'assistant', parts: reasoningOf(said.join('\n\n') || undefined), isItem: true }
  }
  if (type?.endsWith('_call')) return { role: 'assistant', parts: [{ kind: 'other', value }], isItem: true }
  // A list of parts without a role is the content of an Anthropic or AI SDK response.
  if (type === 'text' || type === 'tool_use' || type === 'tool-call' || type === 'thinking')
    return { role: 'assistant', parts: part(value), isItem: true }
  return undefined
}

function call(value: unknown): Part {
  const given = record(value)
  const inner = record(given['function'])
  const id = first(given['id'], given['call_id'], given['toolCallId'], given['tool_call_id'])
  const name = first(inner['name'], given['name'], given['toolName'])
  const args = inner['arguments'] ?? given['arguments'] ?? given['args'] ?? given['input'] ?? given['parameters']
  return name === '' && args === undefined ? { kind: 'other', value } : { kind: 'call', id, name, arguments: argumentsOf(args) }
}

const result = (id: string, name: string, content: unknown): Part => ({ kind: 'result', id, name, content: contentOf(content) })

function contentOf(content: unknown): unknown {
  const parts = list(content)
  if (parts !== undefined && parts.length > 0) {
    const texts = parts.map(each => text(record(each)['text']))
    if (texts.every(each => each !== undefined)) return argumentsOf(texts.join('\n'))
  }
  if (isRecord(content) && text(content['type']) === 'text' && content['value'] !== undefined) return argumentsOf(content['value'])
  if (isRecord(content) && text(content['type']) === 'json' && content['value'] !== undefined) return content['value']
  return argumentsOf(content)
}

const dataUri = (mime: string, data: string): string =>
  data.startsWith('data:') || /^https?:/.test(data) ? data : `data:${mime};base64,${data}`

function part(value: unknown): readonly Part[] {
  if (typeof value === 'string') return textParts(value)
  if (!isRecord(value)) return [{ kind: 'other', value }]
  return byType(value) ?? byKey(value) ?? [{ kind: 'other', value }]
}

function byType(value: Fields): readonly Part[] | undefined {
  switch (text(value['type'])) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return textParts(first(value['text'], value['content']))
    case 'refusal':
      return textParts(first(value['refusal']))
    case 'thinking':
    case 'reasoning':
      return reasoningOf(first(value['thinking'], value['text'], value['content'], value['reasoning']))
    case 'redacted_thinking':
      return [{ kind: 'other', value }]
    case 'tool_use':
    case 'tool-call':
    case 'tool_call':
    case 'function':
    case 'function_call':
      return [call(value)]
    case 'tool_result':
      return [result(first(value['tool_use_id']), '', value['content'])]
    case 'tool-result':
      return [result(first(value['toolCallId']), first(value['toolName']), value['output'] ?? value['result'])]
    case 'tool_call_response':
      return [result(first(value['id']), first(value['name']), value['response'] ?? value['result'])]
    case 'image_url':
    case 'input_image': {
      const image = value['image_url']
      return [{ kind: 'media', mime: 'image', source: first(record(image)['url'], image) }]
    }
    case 'input_audio': {
      const { data, format } = record(value['input_audio'])
      return [{ kind: 'media', mime: `audio/${first(format) || 'wav'}`, source: dataUri(`audio/${first(format) || 'wav'}`, first(data)) }]
    }
    case 'image':
    case 'document':
    case 'file':
    case 'media':
    case 'blob':
    case 'uri':
      return media(value)
    default:
      return undefined
  }
}

function media(value: Fields): readonly Part[] | undefined {
  const source = record(value['source'])
  const mime = first(source['media_type'], value['mediaType'], value['mimeType'], value['mime_type']) || 'image/png'
  const data = first(source['data'], source['url'], value['image'], value['data'], value['content'], value['uri'], value['url'])
  return data === '' ? undefined : [{ kind: 'media', mime, source: dataUri(mime, data) }]
}

/** In Gemini and Bedrock, a part has one key, which is its type. */
function byKey(value: Fields): readonly Part[] | undefined {
  const said = text(value['text'])
  if (said !== undefined) return value['thought'] === true ? reasoningOf(said) : textParts(said)
  const called = value['functionCall'] ?? value['function_call']
  if (isRecord(called)) return [call(called)]
  const responded = value['functionResponse'] ?? value['function_response']
  if (isRecord(responded)) return [result(first(responded['id']), first(responded['name']), responded['response'])]
  const inline = value['inlineData'] ?? value['inline_data'] ?? value['fileData'] ?? value['file_data']
  if (isRecord(inline)) {
    const mime = first(inline['mimeType'], inline['mime_type']) || 'application/octet-stream'
    return [{ kind: 'media', mime, source: dataUri(mime, first(inline['data'], inline['fileUri'], inline['file_uri'])) }]
  }
  const use = value['toolUse']
  if (isRecord(use)) return [{ kind: 'call', id: first(use['toolUseId']), name: first(use['name']), arguments: argumentsOf(use['input']) }]
  const toolResult = value['toolResult']
  if (isRecord(toolResult)) {
    const content = list(toolResult['content'])?.map(each => record(each)['json'] ?? each)
    return [
      result(
        first(toolResult['toolUseId']),
        '',
        content?.length === 1 ? (isRecord(content[0]) && text(content[0]['text']) ? content[0]['text'] : content[0]) : content,
      ),
    ]
  }
  const reasoned = record(record(value['reasoningContent'])['reasoningText'])
  if (text(reasoned['text']) !== undefined) return reasoningOf(text(reasoned['text']))
  const image = record(value['image'])
  if (text(image['format']) !== undefined) {
    const bytes = text(record(image['source'])['bytes'])
    return bytes === undefined
      ? undefined
      : [{ kind: 'media', mime: `image/${first(image['format'])}`, source: dataUri(`image/${first(image['format'])}`, bytes) }]
  }
  return undefined
}
