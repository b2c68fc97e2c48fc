// Reads the name and version of a prompt. The Vercel AI SDK, up to version 6, sends name and version in one JSON value.
import type { Prompt, PromptCarrier } from '../../rules/dialect.ts'
import { jsonOf, memberOf } from '../../rules/json-attribute.ts'
import { promptVersionOf } from '../../rules/prompt-version.ts'
import { numberText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'

const attribute = 'ai.telemetry.metadata.svcPrompt'

export const telemetryPrompt: PromptCarrier = { name: 'Vercel AI prompt', attribute, key: keyNumber(attribute), read }

function read(span: SpanView, entry: number): Prompt {
  const prompt = jsonOf(span, attribute)
  const name = memberOf(prompt, 'name')
  const version = memberOf(prompt, 'version')
  if (typeof name !== 'string') span.lose('unreadable_json', entry)
  return {
    name: typeof name === 'string' ? name : undefined,
    version: promptVersionOf(typeof version === 'string' ? version : (numberText(version) ?? '')),
  }
}
