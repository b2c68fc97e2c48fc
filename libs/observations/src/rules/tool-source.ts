// Tool definitions outside of the input: how to find them, and how to remove them.
import { keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { attributeText } from './attribute-text.ts'
import { listedTools } from './tool-definitions.ts'

/** The tools in one location, and the function that removes them from this location. */
export interface FoundTools {
  readonly name: string
  readonly tools: NonNullable<ReturnType<typeof listedTools>>
  readonly leave: () => void
}

export interface ToolSource {
  readonly name: string
  /**
   * True if this source only repeats tools that are also in most inputs. A repeating source is not read if the input has a list of tools.
   */
  readonly repeatsInput?: boolean
  readonly find: (span: SpanView) => readonly FoundTools[]
}

export const noTools: readonly FoundTools[] = []

/** An attribute that contains a list of tools, or one tool. */
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
