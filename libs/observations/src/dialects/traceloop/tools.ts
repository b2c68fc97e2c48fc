// Tool definitions in separate attributes: `llm.request.functions.0.name`, `.description`, `.parameters`.
import { attributeText } from '../../rules/attribute-text.ts'
import { toolList } from '../../rules/tool-definitions.ts'
import { type FoundTools, noTools, type ToolSource } from '../../rules/tool-source.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'

const partKey = /^llm\.request\.functions\.(\d{1,6})\.(\w{1,64})$/

export const functionParts: ToolSource = { name: 'llm.request.functions.<n>', find: toolsOfParts }

function toolsOfParts(span: SpanView): readonly FoundTools[] {
  const { attributes } = span
  if ((attributes.seenFlags & keyFlag.toolPart) === 0) return noTools
  const found = new Map<number, { readonly parts: Record<string, string>; readonly entries: number[] }>()
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((attributes.flags[entry]! & keyFlag.toolPart) === 0) continue
    const [, index, part] = partKey.exec(attributes.table.nameOf(attributes.keys[entry]!)) ?? []
    if (index === undefined || part === undefined || part === '__proto__') continue
    const tool = found.get(Number(index)) ?? { parts: {}, entries: [] }
    found.set(Number(index), tool)
    tool.parts[part] = attributeText(span, entry)
    tool.entries.push(entry)
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .flatMap(([index, { parts, entries }]) => {
      const tools = toolList([parts])
      const leave = () => {
        for (const entry of entries) span.moved.set(entry, null)
      }
      return tools === undefined ? [] : [{ name: `llm.request.functions.${index}`, tools, leave }]
    })
}
