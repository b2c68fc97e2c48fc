// Tool definitions with their position in the key: `llm.tools.0.tool.json_schema`.
import { attributeText } from '../../rules/attribute-text.ts'
import { toolList } from '../../rules/tool-definitions.ts'
import { type FoundTools, noTools, type ToolSource } from '../../rules/tool-source.ts'
import { parseTools } from '../../rules/tool-texts.ts'
import { isJsonObject } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import './keys.ts'

const indexedKey = /^llm\.tools\.(\d{1,9})\.tool\.json_schema$/

export const indexedTools: ToolSource = { name: 'llm.tools.<n>.tool.json_schema', find: toolsOfIndexedKeys }

function toolsOfIndexedKeys(span: SpanView): readonly FoundTools[] {
  const { attributes } = span
  const found: { index: number; name: string; entry: number }[] = []
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((attributes.flags[entry]! & keyFlag.tool) === 0 || attributes.table.pathOf(attributes.keys[entry]!).path.at(-1) !== 'json_schema')
      continue
    const name = attributes.table.nameOf(attributes.keys[entry]!)
    const index = indexedKey.exec(name)?.[1]
    if (index !== undefined) found.push({ index: Number(index), name, entry })
  }
  if (found.length === 0) return noTools
  return found
    .sort((a, b) => a.index - b.index || (a.name < b.name ? -1 : 1))
    .flatMap(({ entry, name }) => {
      const tools = toolList([attributeText(span, entry)])
      return tools === undefined ? [] : [{ name, tools, leave: () => span.moved.set(entry, null) }]
    })
}

const parametersKey = keyNumber('llm.invocation_parameters')

/** Finds the tools in the request's parameters. The parameters keep these tools. */
export const toolsOfParameters: ToolSource = {
  name: 'llm.invocation_parameters',
  repeatsInput: true,
  find(span) {
    const entry = span.own.get(parametersKey)
    if (entry < 0) return noTools
    const text = attributeText(span, entry)
    // Most parameters contain no tools.
    const parameters = /"(?:tools|functions)"/.test(text) ? parseTools(text) : undefined
    const tools = isJsonObject(parameters) ? toolList(parameters['tools'] ?? parameters['functions']) : undefined
    return tools === undefined ? [] : [{ name: 'llm.invocation_parameters', tools, leave: () => {} }]
  },
}
