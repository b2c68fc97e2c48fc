import { stored } from './engine.ts'

export const us = (text: string) => BigInt(Date.parse(text)) * 1000n
const start = us('2026-02-01T10:00:00Z')

interface Row {
  readonly span_id: string
  readonly [column: string]: unknown
}

const event = ({ after = 0, ...row }: Row & { readonly after?: number }) => ({
  ...{ project_id: 'p', trace_id: 't1', parent_span_id: '', name: 'n', type: 'SPAN', event_ts: stored(start) },
  ...{ start_time: stored(start + BigInt(after) * 1_000_000n), ...row },
})
const score = (id: string, row: object) => ({
  ...{
    id,
    project_id: 'p',
    name: 'q',
    source: 'API',
    data_type: 'NUMERIC',
    value: 1,
    trace_id: 't1',
    is_deleted: 0,
    event_ts: '2026-02-01 10:00:00',
  },
  ...{ timestamp: '2026-02-01 10:00:00', ...row },
})

const ended = (seconds: number) => stored(start + BigInt(seconds * 1_000_000))

export const eventRows = [
  event({ span_id: 'root', name: 'superseded', event_ts: stored(start - 1n), cost_details: { total: 99 } }),
  event({
    ...{
      span_id: 'root',
      trace_name: 'chat',
      user_id: 'u1',
      session_id: 's1',
      tags: ['a', 'b'],
      release: 'r1',
      version: 'v1',
      end_time: ended(4),
    },
    ...{
      completion_start_time: ended(2),
      usage_details: { input: 10, output: 6, total: 16 },
      cost_details: { input: 0.1, output: 0.2, total: 0.3 },
    },
    ...{ tool_definitions: { search: '{}', mail: '{}' }, tool_calls: ['{}', '{}'], tool_call_names: ['search', 'search'] },
    ...{ metadata_names: ['plan'], metadata_values: ['pro'], metadata_types: [0], experiment_id: 'x1', experiment_name: 'first' },
  }),
  event({
    ...{
      span_id: 'llm',
      parent_span_id: 'root',
      name: 'call',
      type: 'GENERATION',
      level: 'ERROR',
      environment: 'prod',
      user_id: 'u1',
      after: 3_600,
    },
    ...{ end_time: ended(3_601), provided_model_name: 'gpt', prompt_name: 'greet', prompt_version: 3 },
    ...{ usage_details: { input: 4, total: 4 }, cost_details: { input: 0.05, total: 0.05 } },
  }),
  event({ span_id: 'other', trace_id: 't2', user_id: 'u2', after: 3 * 3_600, end_time: ended(3 * 3_600) }),
  event({ span_id: 'late', trace_id: 't2', after: 24 * 3_600 }),
  event({ span_id: 'deleted', after: 60, is_deleted: 1 }),
]

export const scoreRows = [
  score('moved', { name: 'was', value: 5, timestamp: '2026-01-02 00:00:00', event_ts: '2026-01-01 00:00:00' }),
  score('moved', { value: 2, observation_id: 'llm', session_id: 's9', environment: 'prod', metadata: { plan: 'pro' } }),
  score('number', { value: 4, observation_id: 'root', config_id: 'c' }),
  score('yes', { name: 'ok', data_type: 'BOOLEAN', value: 1, string_value: 'True', timestamp: '2026-02-01 11:30:00' }),
  score('no', { name: 'ok', data_type: 'BOOLEAN', value: 0, string_value: 'False', trace_id: 'unknown' }),
  score('label', { name: 'mood', data_type: 'CATEGORICAL', value: 0, string_value: 'good', trace_id: null, session_id: 's1' }),
  score('gone', { value: 9, is_deleted: 1 }),
]
