import { jsonOf, memberOfAttribute } from '../../rules/json-attribute.ts'
import { findFirst, type Rule } from '../../rules/rules.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { Content } from '../../span-view/content.ts'
import { isJsonObject, jsonText, parseJson } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import '../gen-ai/keys.ts'
import '../svc/keys.ts'
import { isVercelAi, saying } from './scope.ts'
import './keys.ts'

const held = new Content()
const reportKey = keyNumber('ai.response.providerMetadata')

/**
 * The first key that is present supplies the parameter. A key with the text `null` or `undefined` counts as absent, because the SDK sends
 * these texts for settings that the application omitted.
 */
const settings: readonly (readonly [name: string, ...keys: readonly string[]])[] = [
  ['maxSteps', 'ai.settings.maxSteps'],
  ['toolChoice', 'ai.prompt.toolChoice'],
  ['maxTokens', 'gen_ai.request.max_tokens'],
  ['finishReason', 'gen_ai.response.finish_reasons', 'gen_ai.finishReason'],
  ['system', 'gen_ai.system', 'ai.model.provider'],
  ['maxRetries', 'ai.settings.maxRetries'],
  ['mode', 'ai.settings.mode'],
  ['temperature', 'gen_ai.request.temperature'],
]
const settingRules = settings.map(([name, ...keys]) => ({ name, rules: saying('set', ...keys) }))
const tierRules = saying('set', 'gen_ai.request.service_tier')
const explicitRules = saying('truthy', 'svc.observation.model.parameters')

export const parameters: Rule<unknown> = {
  name: 'Vercel AI settings',
  read(span) {
    if (!isVercelAi(span)) return undefined
    const tier = memberOfAttribute(span, span.own.get(reportKey), 'openai', 'serviceTier')
    const explicit = findFirst(span, explicitRules)
    const given = explicit < 0 ? undefined : jsonOf(span, 'svc.observation.model.parameters')
    if (explicit >= 0 && !isJsonObject(given)) span.lose('unreadable_json', explicit)
    const found: Record<string, string> = {}
    for (const { name, rules } of settingRules) {
      const text = settingText(span, findFirst(span, rules))
      if (text !== undefined) found[name] = text
    }
    const tierText = typeof tier === 'string' ? tier : settingText(span, findFirst(span, tierRules))
    if (tierText !== undefined) found['service_tier'] = tierText
    return isJsonObject(given) ? { ...found, ...given } : found
  },
}

/** Returns the setting as text. The elements of a list are joined by commas. */
function settingText(span: SpanView, entry: number): string | undefined {
  if (entry < 0) return undefined
  held.attribute(span, entry)
  const text = held.text()
  if (span.attributes.kinds[entry] !== valueKind.array) return text
  const list = parseJson(text)
  return Array.isArray(list) ? list.map(element => (typeof element === 'string' ? element : (jsonText(element) ?? ''))).join(',') : text
}
