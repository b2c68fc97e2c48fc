// What went into an observation and what came out of it: as it stands on the wire, usually JSON text.
import { type BlockBuilder, StringColumn } from '@svc-server/column-store/native'
import type { KnownKey } from '../attributes/keys.ts'
import { type Accepts, type AttributeRule, findFirst, spanAttribute } from '../rules.ts'
import { type ColumnWriter, writeAttribute } from './column-writer.ts'

/** A convention for both sides. It is taken when either side has a value; a side without one stays empty. */
export interface InputOutputRule {
  readonly name: string
  readonly input: readonly AttributeRule[]
  readonly output: readonly AttributeRule[]
}

const convention = (
  name: string,
  input: readonly KnownKey[],
  output: readonly KnownKey[],
  accepts: Accepts = 'truthy',
): InputOutputRule => ({
  name,
  input: input.map(key => spanAttribute(key, accepts)),
  output: output.map(key => spanAttribute(key, accepts)),
})

export const inputOutputRules: readonly InputOutputRule[] = [
  // An empty text of the SDK is an answer.
  convention('svc SDK', ['svc.observation.input'], ['svc.observation.output'], 'set'),
  convention('traceloop', ['traceloop.entity.input'], ['traceloop.entity.output']),
  convention('openinference', ['input.value'], ['output.value']),
  convention('gen_ai text', ['gen_ai.prompt'], ['gen_ai.completion']),
  convention('gen_ai', ['gen_ai.input.messages', 'gen_ai.tool.call.arguments'], ['gen_ai.output.messages', 'gen_ai.tool.call.result']),
]

export function inputOutputColumns(block: BlockBuilder): ColumnWriter {
  const inputColumn = block.column('input', StringColumn)
  const outputColumn = block.column('output', StringColumn)

  return (row, span) => {
    for (let i = 0; i < inputOutputRules.length; i++) {
      const { input, output } = inputOutputRules[i]!
      const from = findFirst(span, input)
      const to = findFirst(span, output)
      if (from < 0 && to < 0) continue
      if (from >= 0) writeAttribute(inputColumn, row, span, from)
      if (to >= 0) writeAttribute(outputColumn, row, span, to)
      return
    }
  }
}
