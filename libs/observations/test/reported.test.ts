// Maps the span of every defect in reported.ts, and compares its row with the correct row. This file tests only the mapping. Requests to
// wrong paths and requests of other observability products are tested with the components that receive such requests.
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { encodeTraceRequest } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { explainRequest } from '../src/block/explain.ts'
import { receivedAtMs, requestOf } from './mapped-rows.ts'
import { type Reported, reported } from './reported.ts'
import { reportedForms } from './reported-forms.ts'

const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })

function rowOf({ values, facts }: Reported) {
  const { spans } = explainRequest(encodeTraceRequest(requestOf(values, facts)), { nowMs: receivedAtMs }, { catalog })
  const { columns } = spans[0]!
  const value = (name: string) => columns[name]!.value
  const numbers = (name: string) =>
    Object.fromEntries(Object.entries(value(name) as object).map(([key, units]) => [key, Number(units)])) as Record<string, number>
  return { value, usage: numbers('usage_details'), cost: numbers('cost_details') }
}

const millisOf = (time: unknown): number => Date.parse(`${String(time).replace(' ', 'T')}Z`)

describe.each([...Object.entries(reported), ...Object.entries(reportedForms)])('%s', (_, cases) => {
  test.each(Object.entries(cases))('%s', (_name, wanted) => {
    const { value, usage, cost } = rowOf(wanted)
    const { total, ...keys } = usage
    expect(usage).toMatchObject(wanted.usage ?? {})
    if (total !== undefined) expect(Object.values(keys).reduce((sum, count) => sum + count, 0)).toBe(total)
    if (wanted.cost !== undefined) expect(cost['total']).toBeCloseTo(wanted.cost, 12)
    if (wanted.tier !== undefined) expect(value('usage_pricing_tier_name')).toBe(wanted.tier)
    if (wanted.type !== undefined) expect(value('type')).toBe(wanted.type)
    for (const piece of wanted.input ?? []) expect(value('input')).toContain(piece)
    for (const piece of wanted.output ?? []) expect(value('output')).toContain(piece)
    for (const [tool, pieces] of Object.entries(wanted.defined ?? {})) {
      for (const piece of pieces) expect((value('tool_definitions') as Record<string, string>)[tool]).toContain(piece)
    }
    if (wanted.called !== undefined) {
      expect(value('tool_call_names')).toEqual(Object.keys(wanted.called))
      Object.values(wanted.called).forEach((piece, i) => {
        expect((value('tool_calls') as readonly string[])[i]).toContain(piece)
      })
    }
    if (wanted.firstTokenMs !== undefined) {
      const delay = millisOf(value('completion_start_time')) - millisOf(value('start_time'))
      expect(Math.abs(delay - wanted.firstTokenMs)).toBeLessThanOrEqual(1)
    }
    if (wanted.mostInputTokens !== undefined) expect(usage['input'] ?? 0).toBeLessThanOrEqual(wanted.mostInputTokens)
  })
})
