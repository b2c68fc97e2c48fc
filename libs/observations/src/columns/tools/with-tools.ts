// Moves tool definitions that are stored outside of the input into the input, so that everything that the model received is in one place.
import { toolList, uniqueTools } from '../../rules/tool-definitions.ts'
import { toolJson } from '../../rules/tool-texts.ts'
import { isJsonObject, type JsonObject, jsonText, numberText, parseJson } from '../../span-view/json-text.ts'

type Tools = Parameters<typeof uniqueTools>[0]

export interface InputWithTools {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
}

/**
 * A list becomes `{messages, tools}`, an object gains `tools`, a text becomes `{prompt, tools}`, and a missing input becomes `{tools}`. The
 * tools that the input already contains come first. If two tools have the same name, the input's own tool is used. Returns undefined and
 * changes nothing if the input is a JSON number or boolean, or if it has a member `tools` that is not a list of tools.
 */
export function withTools(input: string | undefined, tools: Tools): InputWithTools | undefined {
  const parsed = input === undefined ? null : parseJson(input)
  const own = parsed === undefined ? input : parsed
  if (own === null) return besideTools({}, tools)
  if (typeof own === 'string') return besideTools({ prompt: own }, tools)
  if (Array.isArray(own)) return besideTools({ messages: own }, tools)
  const value = mergedTools(own, tools)
  const text = value === undefined ? undefined : jsonText(value)
  return value === undefined || text === undefined ? undefined : { text, value }
}

/** A client sends mostly the same tools with every call, so the JSON texts of the tools are reused. */
function besideTools(input: JsonObject, all: Tools): InputWithTools | undefined {
  const tools = uniqueTools(all)
  const before = jsonText(input)
  const texts = tools.map(toolJson)
  if (before === undefined || texts.includes(undefined)) return undefined
  const open = before.slice(0, -1)
  return { text: `${open}${open === '{' ? '' : ','}"tools":[${texts.join(',')}]}`, value: { ...input, tools } }
}

function mergedTools(input: unknown, tools: Tools): InputWithTools['value'] | undefined {
  if (!isJsonObject(input) || numberText(input) !== undefined) return undefined
  const own = input['tools']
  const ownTools = own == null || (Array.isArray(own) && own.length === 0) ? [] : toolList(own, { providerTools: true })
  return ownTools === undefined ? undefined : { ...input, tools: uniqueTools([...ownTools, ...tools]) }
}
