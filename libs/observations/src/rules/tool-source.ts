// Describes the places, other than the input, that can contain tool definitions, and how to find and remove the definitions there.
import { keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { attributeText } from './attribute-text.ts'
import { listedTools } from './tool-definitions.ts'

/** The tools in one place of the span. `leave` removes the tools from this place. If the place keeps its tools, `leave` does nothing. */
export interface FoundTools {
  readonly name: string
  readonly tools: NonNullable<ReturnType<typeof listedTools>>
  readonly leave: () => void
}

export interface ToolSource {
  readonly name: string
  /** True if the input usually contains the tools of this source, too. Such a source is ignored if the input has a list of tools. */
  readonly repeatsInput?: boolean
  readonly find: (span: SpanView) => readonly FoundTools[]
}

export const noTools: readonly FoundTools[] = []

/** The attribute contains a list of tools, or one tool. */
export function toolAttribute(key: string, options?: Parameters<typeof listedTools>[1]): ToolSource {
  const number = keyNumber(key)
  return {
    name: key,
    find(span) {
      const entry = span.own.get(number)
      if (entry < 0) return noTools
      const tools = listedTools(attributeText(span, entry), options)
      return tools === undefined ? noTools : [{ name: key, tools, leave: () => span.moved.set(entry, null) }]
    },
  }
}
