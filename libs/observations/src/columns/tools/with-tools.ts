// Moves tool definitions from beside the input into it, so that everything the model received is in one place.
import { toolList, uniqueTools } from '../../rules/tool-definitions.ts'
import { isJsonObject, jsonText, numberText, parseJson } from '../../span-view/json-text.ts'

type Tools = Parameters<typeof uniqueTools>[0]

export interface InputWithTools {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
}

/**
 * A list becomes `{messages, tools}`, an object gains `tools`, a text becomes `{prompt, tools}`, and a missing input becomes
 * `{tools}`. The input's own tools come first and win by name. Undefined, without a change, when the input is a JSON number or
 * boolean, or its own `tools` is something else.
 */
export function withTools(input: string | undefined, tools: Tools): InputWithTools | undefined {
  const parsed = input === undefined ? null : parseJson(input)
  const value = merged(parsed === undefined ? input : parsed, tools)
  const text = value === undefined ? undefined : jsonText(value)
  return value === undefined || text === undefined ? undefined : { text, value }
}

function merged(input: unknown, tools: Tools): InputWithTools['value'] | undefined {
  if (input === null) return { tools: uniqueTools(tools) }
  if (typeof input === 'string') return { prompt: input, tools: uniqueTools(tools) }
  if (Array.isArray(input)) return { messages: input, tools: uniqueTools(tools) }
  if (!isJsonObject(input) || numberText(input) !== undefined) return undefined
  const own = input['tools']
  const ownTools = own == null || (Array.isArray(own) && own.length === 0) ? [] : toolList(own, { providerTools: true })
  return ownTools === undefined ? undefined : { ...input, tools: uniqueTools([...ownTools, ...tools]) }
}
