// Joins the stream chunks of chat completions, completions and responses. The part of the reply that has arrived can be recorded at any
// time.
import type { SvcGenerationAttributes } from '@svc/tracing'
import { outputOfItems, replyAttributes } from './reply.ts'
import type { ModelParameters } from './request.ts'
import { type Usage, usageOf } from './usage.ts'
import { type Fields, fieldsOf, listOf, textOf } from './values.ts'

interface ToolCall {
  id?: string | undefined
  type: string
  function: { name: string; arguments: string }
}

/** Joins the pieces of tool calls. A piece states the position (`index`) of its call among the tool calls of the reply. */
class ToolCalls {
  private readonly calls = new Map<number, ToolCall>()
  private last = 0

  add(piece: Fields): void {
    const id = textOf(piece['id'])
    // If the pieces have no positions, each piece with an id begins a new call.
    const index = typeof piece['index'] === 'number' ? piece['index'] : id && this.calls.size > 0 ? this.last + 1 : this.last
    this.last = index
    const { name, arguments: text } = fieldsOf(piece['function'])
    const call = this.calls.get(index) ?? { type: textOf(piece['type']) ?? 'function', function: { name: '', arguments: '' } }
    if (id) call.id = id
    call.function.name += textOf(name) ?? ''
    call.function.arguments += textOf(text) ?? ''
    this.calls.set(index, call)
  }

  all(): readonly ToolCall[] {
    return [...this.calls].sort(([a], [b]) => a - b).map(([, call]) => call)
  }
}

interface Item {
  fields: Fields
  text: string
  arguments: string
  isDone: boolean
}

function partial({ fields, text, arguments: pieces, isDone }: Item): unknown {
  if (isDone) return fields
  if (fields['type'] === 'function_call') return { ...fields, arguments: pieces }
  return fields['type'] === 'message' || text
    ? { type: 'message', role: 'assistant', ...fields, content: [{ type: 'output_text', text }] }
    : fields
}

export class Chunks {
  private readonly parameters: ModelParameters
  private hasContent = false
  private text = ''
  private refusal = ''
  private readonly toolCalls = new ToolCalls()
  private functionCall: { name: string; arguments: string } | undefined
  private readonly items = new Map<number, Item>()
  private finalReply: Fields | undefined
  private model: string | undefined
  private usage: Usage | undefined

  constructor(parameters: ModelParameters) {
    this.parameters = parameters
  }

  add(given: unknown): void {
    const chunk = fieldsOf(given)
    this.model = textOf(chunk['model']) ?? textOf(fieldsOf(chunk['response'])['model']) ?? this.model
    this.usage = usageOf(chunk) ?? this.usage
    if (Array.isArray(chunk['choices'])) this.addChoices(chunk['choices'])
    else if (typeof chunk['type'] === 'string') this.addEvent(chunk['type'], chunk)
  }

  attributes(): SvcGenerationAttributes {
    if (this.finalReply) {
      const reply = replyAttributes(this.finalReply, this.parameters)
      return { ...reply, output: reply.output ?? this.output(), usageDetails: reply.usageDetails ?? this.usage }
    }
    return { model: this.model, output: this.output(), usageDetails: this.usage }
  }

  private addChoices(choices: readonly unknown[]): void {
    // Only the first choice is recorded, as for a reply that is not streamed.
    const choice = choices.map(fieldsOf).find(({ index = 0 }) => index === 0)
    if (!choice) return
    this.hasContent = true
    const delta = fieldsOf(choice['delta'])
    this.text += textOf(delta['content']) ?? textOf(choice['text']) ?? ''
    this.refusal += textOf(delta['refusal']) ?? ''
    for (const piece of listOf(delta['tool_calls'])) this.toolCalls.add(fieldsOf(piece))
    if (delta['function_call']) {
      const { name, arguments: text } = fieldsOf(delta['function_call'])
      this.functionCall ??= { name: '', arguments: '' }
      this.functionCall.name += textOf(name) ?? ''
      this.functionCall.arguments += textOf(text) ?? ''
    }
  }

  private addEvent(type: string, event: Fields): void {
    const delta = textOf(event['delta']) ?? ''
    switch (type) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        this.setItem(event, type.endsWith('done'))
        break
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.item(event).text += delta
        break
      case 'response.function_call_arguments.delta':
        this.item(event).arguments += delta
        break
      case 'transcript.text.delta':
        this.hasContent = true
        this.text += delta
        break
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.finalReply = fieldsOf(event['response'])
        break
      default:
    }
  }

  private item(event: Fields): Item {
    const index = typeof event['output_index'] === 'number' ? event['output_index'] : 0
    const item = this.items.get(index) ?? { fields: {}, text: '', arguments: '', isDone: false }
    this.items.set(index, item)
    return item
  }

  private setItem(event: Fields, isDone: boolean): void {
    const item = this.item(event)
    item.fields = fieldsOf(event['item'])
    item.isDone = isDone
  }

  private output(): unknown {
    if (this.items.size > 0) return outputOfItems([...this.items].sort(([a], [b]) => a - b).map(([, item]) => partial(item)))
    if (!this.hasContent) return undefined
    const calls = this.toolCalls.all()
    if (calls.length === 0 && !this.functionCall && !this.refusal) return this.text
    return {
      role: 'assistant',
      content: this.text || null,
      ...(this.refusal && { refusal: this.refusal }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(this.functionCall && { function_call: this.functionCall }),
    }
  }
}
