// What went into an observation and what came out of it: as it stands on the wire where that is one text, usually JSON.
import { type BlockBuilder, StringColumn } from '@svc-server/column-store/native'
import { flueInputOutput } from '../dialects/flue/flue.ts'
import { genAiDetailsEvent, genAiMessageEvents, semanticKernelEvents } from '../dialects/gen-ai/events.ts'
import { genAiMessages, genAiPrompt } from '../dialects/gen-ai/gen-ai.ts'
import { genkitInputOutput } from '../dialects/genkit/genkit.ts'
import { googleAdkInputOutput } from '../dialects/google-adk/google-adk.ts'
import { livekitInputOutput } from '../dialects/livekit/livekit.ts'
import { logfireEvents, logfireInputOutput } from '../dialects/logfire/logfire.ts'
import { mlflowInputOutput } from '../dialects/mlflow/mlflow.ts'
import { openInferenceInputOutput, openInferenceMessages } from '../dialects/openinference/openinference.ts'
import { plainInputOutput, pydanticAiInputOutput, pydanticAiTool } from '../dialects/pydantic-ai/pydantic-ai.ts'
import { svcInputOutput } from '../dialects/svc/svc.ts'
import { traceloopInputOutput } from '../dialects/traceloop/traceloop.ts'
import { vercelAiInputOutput } from '../dialects/vercel-ai/vercel-ai.ts'
import type { InputOutputRule } from '../rules/input-output-rule.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

/** The first convention that is taken decides both sides. */
export const inputOutputRules: readonly InputOutputRule[] = [
  svcInputOutput,
  genkitInputOutput,
  vercelAiInputOutput,
  flueInputOutput,
  genAiDetailsEvent,
  genAiMessageEvents,
  semanticKernelEvents(() => inputOutputRules),
  googleAdkInputOutput,
  logfireInputOutput,
  livekitInputOutput,
  logfireEvents,
  mlflowInputOutput,
  traceloopInputOutput,
  openInferenceInputOutput,
  plainInputOutput,
  pydanticAiInputOutput,
  pydanticAiTool,
  genAiPrompt,
  openInferenceMessages,
  genAiMessages,
]

/** Decides what the span's input and output are; nothing is written yet. */
export function readInputOutput(_row: number, span: SpanView): void {
  span.input.clear()
  span.output.clear()
  const { trail } = span
  for (let i = 0; i < inputOutputRules.length; i++) {
    const { name, read } = inputOutputRules[i]!
    if (trail !== null) trail.begin()
    if (!read(span)) continue
    if (trail !== null) trail.foundSides(name, { input: span.input.present, output: span.output.present })
    return
  }
}

export function inputOutputColumns(block: BlockBuilder): ColumnWriter {
  const inputColumn = block.column('input', StringColumn)
  const outputColumn = block.column('output', StringColumn)

  return (row, { input, output }) => {
    if (input.present) inputColumn.text(row, input.source, input.start, input.end)
    if (output.present) outputColumn.text(row, output.source, output.start, output.end)
  }
}
