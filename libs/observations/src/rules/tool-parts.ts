// Finds tool definitions whose parts are separate attributes, for example `gen_ai.tool.definitions.0.name` and
// `gen_ai.request.tools.0.function.parameters`.
import { wireText } from '../span-view/json-text.ts'
import { scratchWriter } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import { writeRebuilt } from './nested-rebuild.ts'
import { listedTools } from './tool-definitions.ts'
import { type FoundTools, noTools, type ToolSource } from './tool-source.ts'

const rebuilt = scratchWriter()
const flags = keyFlag.toolListPart | keyFlag.toolSchemaPart
const suffix = /\.\d+(?:\..*)?$/s

export const toolListParts: ToolSource = { name: 'gen_ai.tool.definitions.<n>', find: toolsOfParts }

function toolsOfParts(span: SpanView): readonly FoundTools[] {
  const { attributes } = span
  if ((attributes.seenFlags & keyFlag.toolListPart) === 0) return noTools
  rebuilt.rewind()
  writeRebuilt(rebuilt, span, flags)
  const tools = listedTools(wireText(rebuilt, 0, rebuilt.length))
  if (tools === undefined) return []
  const entries: number[] = []
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((attributes.flags[entry]! & flags) !== 0 && !span.leftOut.has(entry)) entries.push(entry)
  }
  if (entries.length === 0) return []
  const leave = () => {
    for (const entry of entries) span.moved.set(entry, null)
  }
  const name = attributes.table.nameOf(attributes.keys[entries[0]!]!).replace(suffix, '.<n>')
  return [{ name, tools, leave }]
}
