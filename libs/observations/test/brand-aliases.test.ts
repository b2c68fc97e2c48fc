import { brandAliasPattern } from '@svc-server/schema/brand'
import { attributes, encodeTraceRequest, type TraceRequest } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { explainRequest } from '../src/block/explain.ts'
import { declaredKeys } from '../src/span-view/keys.ts'
import { receivedAtMs, requestOf } from './mapped-rows.ts'
import type { Facts, Values } from './tables/explained.ts'

const explain = (request: TraceRequest, brandAliases: readonly string[], sdkName = '') =>
  explainRequest(encodeTraceRequest(request), { nowMs: receivedAtMs, sdkName, sdkVersion: '5.0.4' }, { brandAliases }).spans[0]!.columns

const written = (brand: string): { readonly values: Values; readonly facts: Facts } => ({
  values: {
    [`${brand}.observation.type`]: 'generation',
    [`${brand}.observation.input`]: '"in"',
    [`${brand}.observation.model.name`]: 'm',
    [`${brand}.observation.usage_details`]: '{"input":3}',
    [`${brand}.observation.metadata.mine`]: '"text"',
    [`${brand}.observation.metadata.${brand}_own`]: '"kept"',
    [`${brand}.trace.metadata.${brand}_user_id`]: '"u"',
    [`${brand}.trace.tags`]: ['t'],
    [`ai.telemetry.metadata.${brand}Prompt`]: '{"name":"p","version":2}',
    [`${brand}.internal.is_app_root`]: true,
    'my.own': 'x',
  },
  facts: {
    scope: { name: `${brand}-sdk`, version: '5.0.4' },
    resource: { [`${brand}.environment`]: `${brand}-${brand.toUpperCase()}_Prod`, 'telemetry.sdk.language': 'python' },
  },
})

const rowOf = (brand: string, aliases: readonly string[]) => {
  const { values, facts } = written(brand)
  const { event_bytes: _, ...columns } = explain(requestOf(values, facts), aliases)
  return Object.fromEntries(Object.entries(columns).map(([name, { value }]) => [name, value]))
}

describe('SVC_BRAND_ALIASES=acme,globex', () => {
  const aliases = ['acme', 'globex']

  test.each(aliases)('%s: the row equals that of the same span written with svc', brand => {
    const text = JSON.stringify(rowOf(brand, aliases))
      // Names and values that the user chose must stay unchanged.
      .replaceAll(`${brand}_own`, 'svc_own')
      .replaceAll(`${brand}-${brand.toUpperCase()}_Prod`, 'svc-SVC_Prod')
    expect(JSON.parse(text)).toEqual(rowOf('svc', []))
    expect(rowOf(brand, aliases)).toMatchObject({
      type: 'GENERATION',
      input: '"in"',
      user_id: 'u',
      environment: 'prod',
      scope_name: 'svc-sdk',
      prompt_version: 2,
    })
  })

  test('with two brands in one span, the later attribute of a name wins', () => {
    const request = requestOf({}, { span: { attributes: attributes({ 'acme.user.id': 'a', 'svc.user.id': 's', 'globex.user.id': 'g' }) } })
    expect(explain(request, aliases)['user_id']).toMatchObject({ value: 'g', rule: 'svc.user.id' })
  })

  test('applies to the SDK names in headers', () => {
    expect(explain(requestOf({}), aliases, 'acme-js')['ingestion_sdk_name']!.value).toBe('svc-js')
  })

  test('is off by default', () => {
    expect(rowOf('acme', [])).toMatchObject({ type: 'SPAN', user_id: '', environment: 'default', scope_name: 'acme-sdk' })
  })
})

describe('an alias that equals a dialect’s name', () => {
  const firstWords = [...new Set(declaredKeys().map(key => key.split('.')[0]!))].filter(
    word => brandAliasPattern.test(word) && word !== 'svc',
  )
  const sent = (word: string) => ({
    ...Object.fromEntries(
      declaredKeys()
        .filter(key => key.startsWith(`${word}.`))
        .map((key, place) => [key, `value ${place}`]),
    ),
    'svc.user.id': 'u',
    'svc.session.id': 's',
    'svc.release': 'r',
  })
  const rowOfRequest = (word: string, aliases: readonly string[]) =>
    Object.entries(explain(requestOf(sent(word)), aliases)).map(([column, { value, rule }]) => [column, value, rule])

  test.each(firstWords)('%s: the keys of the dialect and of svc keep their meaning', word => {
    expect(rowOfRequest(word, [word])).toEqual(rowOfRequest(word, []))
  })

  test('reads other keys with that name as keys of svc', () => {
    expect(explain(requestOf({ 'mlflow.user.id': 'u' }), ['mlflow'])['user_id']!.value).toBe('u')
  })
})
