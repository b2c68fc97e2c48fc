// Requests of contract §§18.8 to 18.14, each with the documented response (see `rows.ts`).

import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { badPages, good, type Row, refused, refusedAt } from './rows.ts'

const badLimits = ['?limit=0', '?limit=101', '?limit=a']
const badCursor = {
  message: 'Invalid query parameters',
  code: 'invalid_query',
  details: { issues: [{ message: 'Invalid cursor format', path: ['cursor'] }] },
}
const judge = {
  ...{ type: 'llm_as_judge', name: 'helpful', description: 'd', modelConfig: { provider: 'judge', model: 'm' } },
  prompt: [
    { role: 'system', content: 'Judge {{answer}}' },
    { role: 'user', content: '{{question}}' },
  ],
  variableMapping: [
    { variable: 'answer', source: 'output' },
    { variable: 'question', source: 'input', jsonPath: '$.q' },
  ],
  outputDefinition: { dataType: 'NUMERIC', minValue: 0, maxValue: 1 },
}
const { name: _, description: __, ...definition } = judge
const [answer, question] = judge.variableMapping
const evaluators = '/v2/evaluators'
const rules = '/v2/evaluation-rules'
const rule = {
  name: 'r',
  enabled: true,
  sampling: 0.5,
  filter: [],
  evaluatorAssignments: [{ evaluatorId: '{evaluator}', variableMapping: null }],
}

const evaluation: readonly Row[] = [
  good('PUT /llm-connections', { provider: 'judge', adapter: 'openai', secretKey: 'sk-12345678' }, {}, { status: 201 }),
  good(
    `POST ${evaluators}`,
    judge,
    { ...judge, version: 1, status: 'active', createdBy: null, variables: ['answer', 'question'], evaluationRuleAssignments: [] },
    { status: 201, as: 'evaluator' },
  ),
  good(`POST ${evaluators}`, judge, { version: 1 }, { status: 201 }),
  good(
    `POST ${evaluators}`,
    { ...judge, prompt: 'One {{a}}', variableMapping: null },
    { prompt: [{ role: 'user', content: 'One {{a}}' }], variableMapping: null },
    { status: 201, as: 'unmapped' },
  ),
  good(`GET ${evaluators}/{evaluator}`, undefined, { name: 'helpful', pausedAt: null, pausedReason: null, pausedMessage: null }),
  good(`GET ${evaluators}?limit=1`, undefined, { data: [{ id: '{unmapped}' }], meta: { cursor: expect.any(String) } }),
  good(`PATCH ${evaluators}/{evaluator}`, { name: 'n', description: null }, { name: 'n', description: null, version: 1 }),
  good(`PATCH ${evaluators}/{evaluator}`, definition, { version: 2, name: 'n' }),
  good(`GET ${evaluators}/{evaluator}/versions`, undefined, { data: [{ version: 2, createdBy: null }, { version: 1 }], meta: {} }),
  ...refused(`POST ${evaluators}`, 400, judge, [
    { type: undefined },
    { type: 'other' },
    { name: undefined },
    { name: '' },
    { prompt: undefined },
    { prompt: [...judge.prompt].reverse() },
    { prompt: [{ role: 'tool', content: 'a' }] },
    { outputDefinition: undefined },
    { outputDefinition: { dataType: 'TEXT' } },
    { outputDefinition: { dataType: 'CATEGORICAL', categories: ['a'], shouldAllowMultipleMatches: true } },
    { outputDefinition: { dataType: 'CATEGORICAL', categories: ['a', 'a'], shouldAllowMultipleMatches: true } },
    { outputDefinition: { dataType: 'CATEGORICAL', categories: ['a', 'b'] } },
    { variableMapping: [answer] },
    { variableMapping: [answer, question, question] },
    { variableMapping: [answer, question, { variable: 'other', source: 'input' }] },
    { variableMapping: [answer, { ...question, source: 'scores' }] },
    { variableMapping: [answer, { ...question, jsonPath: 'q' }] },
    { modelConfig: { provider: 'judge' } },
  ]),
  ...refused(`POST ${evaluators}`, 412, judge, [{ modelConfig: { provider: 'none', model: 'm' } }, { modelConfig: null }]),
  ...refused(`POST ${evaluators}`, 400, { type: 'code', name: 'c', sourceCode: 'a', sourceCodeLanguage: 'PYTHON' }, [
    { sourceCode: undefined },
    { sourceCodeLanguage: 'RUBY' },
    { sourceCode: 'x'.repeat(262_145) },
  ]),
  { request: `POST ${evaluators}`, body: { type: 'code', name: 'c', sourceCode: 'a', sourceCodeLanguage: 'PYTHON' }, status: 403 },
  ...refused(`PATCH ${evaluators}/{evaluator}`, 400, {}, [
    {},
    { name: '' },
    { type: 'llm_as_judge' },
    { type: 'code', sourceCode: 'a', sourceCodeLanguage: 'PYTHON' },
  ]),
  { request: `PATCH ${evaluators}/none`, body: { name: 'n' }, status: 404 },
  { request: `PATCH ${evaluators}/{evaluator}`, body: { name: 'n' }, status: 404, by: 'other' },
  ...refusedAt(`GET ${evaluators}`, 400, badLimits),
  ...refusedAt(`GET ${evaluators}`, 400, ['?cursor=a'], { says: badCursor }),
  ...refusedAt(`GET ${evaluators}/{evaluator}/versions`, 400, badLimits),
  ...refusedAt(`GET ${evaluators}/{evaluator}/versions`, 400, ['?cursor=a'], { says: badCursor }),
  ...refusedAt(`GET ${evaluators}`, 404, ['/none', '/none/versions']),
  { request: `DELETE ${evaluators}/none`, status: 404 },

  good(`POST ${rules}`, rule, { ...rule, createdBy: null }, { status: 201, as: 'rule' }),
  good(
    `POST ${rules}`,
    { name: 'idle', enabled: false, evaluatorAssignments: [] },
    { sampling: 1, filter: [] },
    { status: 201, as: 'idle' },
  ),
  good(`GET ${rules}/{rule}`, undefined, { name: 'r' }),
  good(`GET ${rules}?limit=1`, undefined, { data: [{ id: '{idle}' }], meta: { cursor: expect.any(String) } }),
  good(`PATCH ${rules}/{rule}`, { sampling: 1 }, { sampling: 1, name: 'r', enabled: true }),
  ...refused(`POST ${rules}`, 400, rule, [
    { name: undefined },
    { name: '' },
    { enabled: undefined },
    { sampling: 0 },
    { sampling: 1.1 },
    { sampling: null },
    { evaluatorAssignments: undefined },
    { evaluatorAssignments: [] },
    { evaluatorAssignments: [{ evaluatorId: 'none' }] },
    { evaluatorAssignments: [{ evaluatorId: '{unmapped}' }] },
    { evaluatorAssignments: [{ evaluatorId: '{evaluator}' }, { evaluatorId: '{evaluator}' }] },
    { evaluatorAssignments: [{ evaluatorId: '{evaluator}', variableMapping: [answer] }] },
    { filter: {} },
    { filter: [{ type: 'string', column: 'nothing', operator: '=', value: 'a' }] },
    { filter: [{ type: 'string', column: 'userId', operator: 'like', value: 'a' }] },
    { filter: [{ type: 'stringOptions', column: 'name', operator: 'any of', value: [] }] },
    { filter: [{ type: 'stringObject', column: 'metadata', operator: '=', value: 'a' }] },
    { filter: [{ type: 'number', column: 'toolCalls', operator: '=', value: 'a' }] },
  ]),
  ...refused(`PATCH ${rules}/{rule}`, 400, {}, [{}, { name: '' }, { sampling: 0 }, { enabled: true, evaluatorAssignments: [] }]),
  good(`PATCH ${rules}/{rule}`, { evaluatorAssignments: [] }, { enabled: false, evaluatorAssignments: [] }),
  { request: `PATCH ${rules}/{rule}`, body: { enabled: true }, status: 400 },
  ...refusedAt(`GET ${rules}`, 400, badLimits),
  ...refusedAt(`GET ${rules}`, 400, ['?cursor=a'], { says: badCursor }),
  { request: `GET ${rules}/none`, status: 404 },
  { request: `PATCH ${rules}/none`, body: { name: 'n' }, status: 404 },
  { request: `DELETE ${rules}/{rule}`, status: 404, by: 'other' },
  good(`DELETE ${rules}/{rule}`, undefined, { id: '{rule}' }),
  { request: `DELETE ${rules}/{rule}`, status: 404 },
  good(`DELETE ${evaluators}/{evaluator}`, undefined, { id: '{evaluator}' }),
  { request: `DELETE ${evaluators}/{evaluator}`, status: 404 },
]

const dashboards = '/unstable/dashboards'
const widgets = '/unstable/dashboard-widgets'
const widget = {
  ...{ name: 'w', view: 'observations', dimensions: [{ field: 'name' }], metrics: [{ measure: 'latency', agg: 'p95' }], filters: [] },
  chartType: 'HISTOGRAM',
}
const placed = { type: 'widget', id: 'a', widgetId: '{widget}', x: 0, y: 0, width: 6, height: 6 }
const preset = { type: 'preset', id: 'b', presetId: 'home-traces', x: 6, y: 0, width: 6, height: 2 }
const dashboard = { name: 'd', definition: { widgets: [placed, preset] }, filters: [] }

const boards: readonly Row[] = [
  good(`POST ${widgets}`, widget, { ...widget, description: '', chartConfig: { type: 'HISTOGRAM', bins: 10 } }, { as: 'widget' }),
  good(`GET ${widgets}/{widget}`, undefined, { name: 'w' }),
  good(`GET ${widgets}`, undefined, { meta: { totalItems: 1 } }),
  good(`PATCH ${widgets}/{widget}`, { name: 'v' }, { name: 'v', chartType: 'HISTOGRAM' }),
  ...refused(`POST ${widgets}`, 400, widget, [
    ...['name', 'view', 'dimensions', 'metrics', 'filters', 'chartType'].map(key => ({ [key]: undefined })),
    { name: '' },
    { view: 'traces' },
    { view: 'sessions' },
    { metrics: [] },
    { metrics: [{ measure: 'nothing', agg: 'sum' }] },
    { metrics: [{ measure: 'latency', agg: 'nothing' }] },
    { metrics: [{ measure: 'uniqueUserIds', agg: 'p95' }] },
    { dimensions: [{ field: 'nothing' }] },
    { dimensions: [{ field: 'name' }, { field: 'type' }] },
    { filters: [{ column: 'nothing', type: 'string', operator: '=', value: 'a' }] },
    { chartType: 'CIRCLE' },
    { chartConfig: { type: 'PIE' } },
    { chartConfig: { bins: 0 } },
    { chartConfig: { bins: 101 } },
    { chartType: 'PIE', chartConfig: { row_limit: 1001 } },
    { chartType: 'PIVOT_TABLE', dimensions: [{ field: 'name' }, { field: 'type' }, { field: 'level' }] },
    { chartType: 'PIVOT_TABLE', metrics: Array(11).fill({ measure: 'latency', agg: 'p95' }) },
  ]),
  ...refused(`PATCH ${widgets}/{widget}`, 400, {}, [{}, { name: '' }, { metrics: [] }]),
  ...refusedAt(`GET ${widgets}`, 400, badPages),
  { request: `GET ${widgets}/none`, status: 404, says: { message: 'Dashboard widget none not found' } },
  { request: `PATCH ${widgets}/none`, body: { name: 'a' }, status: 404 },
  { request: `DELETE ${widgets}/none`, status: 404 },

  good(`POST ${dashboards}`, { name: 'empty' }, { description: '', definition: { widgets: [] }, filters: [] }),
  good(`POST ${dashboards}`, dashboard, { ...dashboard, description: '' }, { as: 'dashboard' }),
  good(`GET ${dashboards}/{dashboard}`, undefined, dashboard),
  good(`PATCH ${dashboards}/{dashboard}`, { description: 'e' }, { ...dashboard, description: 'e' }),
  good(`GET ${dashboards}`, undefined, { data: [{ id: '{dashboard}' }, {}], meta: { totalItems: 2 } }),
  ...refused(`POST ${dashboards}`, 400, dashboard, [
    { name: undefined },
    { name: '' },
    { definition: { widgets: [placed, { ...preset, id: 'a' }] } },
    ...[{ x: -1 }, { y: 0.5 }, { width: 0 }, { height: 0 }, { type: 'other' }, { unknown: 1 }].map(change => ({
      definition: { widgets: [{ ...placed, ...change }] },
    })),
    { filters: [{ type: 'other' }] },
  ]),
  ...refused(`POST ${dashboards}`, 404, dashboard, [
    { definition: { widgets: [{ ...placed, widgetId: 'none' }] } },
    { definition: { widgets: [{ ...preset, presetId: 'none' }] } },
  ]),
  ...refused(`PATCH ${dashboards}/{dashboard}`, 400, {}, [{}, { name: '' }]),
  good(
    `POST ${dashboards}/{dashboard}/placements`,
    { type: 'widget', widgetId: '{widget}' },
    { x: 0, y: 6, width: 6, height: 6, type: 'widget' },
    { as: 'placement' },
  ),
  good(
    `PATCH ${dashboards}/{dashboard}/placements/{placement}`,
    { x: 3, width: 1 },
    { x: 3, y: 6, width: 1, height: 6, id: '{placement}' },
  ),
  { request: `POST ${dashboards}/{dashboard}/placements`, body: { type: 'widget', widgetId: '{widget}', id: 'a' }, status: 409 },
  ...refused(`POST ${dashboards}/{dashboard}/placements`, 404, {}, [
    { type: 'widget', widgetId: 'none' },
    { type: 'preset', presetId: 'none' },
  ]),
  ...refused(`POST ${dashboards}/{dashboard}/placements`, 400, {}, [{}, { type: 'widget' }, { type: 'preset', widgetId: '{widget}' }]),
  ...refused(`PATCH ${dashboards}/{dashboard}/placements/{placement}`, 400, {}, [{}, { x: -1 }, { width: 0 }]),
  { request: `PATCH ${dashboards}/{dashboard}/placements/none`, body: { x: 1 }, status: 404 },
  { request: `POST ${dashboards}/none/placements`, body: { type: 'preset', presetId: 'home-traces' }, status: 404 },
  { request: `DELETE ${widgets}/{widget}`, status: 409 },
  good(`DELETE ${dashboards}/{dashboard}/placements/{placement}`, undefined, { message: 'Placement successfully deleted' }),
  { request: `DELETE ${dashboards}/{dashboard}/placements/{placement}`, status: 404 },
  ...refusedAt(`GET ${dashboards}`, 400, badPages),
  { request: `GET ${dashboards}/none`, status: 404, says: { message: 'Dashboard none not found' } },
  { request: `GET ${dashboards}/{dashboard}`, status: 404, by: 'other' },
  good(`DELETE ${dashboards}/{dashboard}`, undefined, { message: 'Dashboard successfully deleted' }),
  { request: `DELETE ${dashboards}/{dashboard}`, status: 404 },
  good(`DELETE ${widgets}/{widget}`, undefined, { message: 'Dashboard widget successfully deleted' }),
]

const skills = '/unstable/skills'
const hash = createHash('sha256').update('a').digest('base64')
const main = { path: 'SKILL.md', content: '---\nname: a-skill\ndescription: d\n---\nText' }
const files = (...list: readonly object[]) => ({ files: list })
const withHead = (head: string) => files({ path: 'SKILL.md', content: `---\n${head}\n---\n` })
const feedback = { targetType: 'docs', target: ' a ', feedback: 'b' }

const skillRows: readonly Row[] = [
  good(
    `POST ${skills}`,
    { ...files(main, { path: 'b/a.txt', content: 'a' }), commitMessage: 'c' },
    {
      version: 1,
      name: 'a-skill',
      description: 'd',
      tags: [],
      labels: ['latest'],
      commitMessage: 'c',
      files: [{}, { sha256Hash: hash, contentLength: 1 }],
    },
    { status: 201 },
  ),
  good(`POST ${skills}`, files(main, { path: 'c.txt', sha256Hash: hash }), { version: 2, commitMessage: null }, { status: 201 }),
  { request: `GET ${skills}/a-skill`, status: 404 },
  good(`PATCH ${skills}/a-skill/versions/1`, { labels: ['production'] }, { version: 1, labels: ['production'] }),
  good(`GET ${skills}/a-skill`, undefined, { version: 1 }),
  good(`PATCH ${skills}/a-skill`, { tags: ['t'] }, { version: 2, tags: ['t'] }),
  good(`GET ${skills}?search=A-SK&tag=t`, undefined, {
    data: [{ latestVersion: 2, productionVersion: 1 }],
    meta: { hasNextPage: false, limit: 50 },
  }),
  good(`GET ${skills}?name=a-sk`, undefined, { data: [] }),
  good(`GET ${skills}/files/content?sha256Hashes=${encodeURIComponent(hash)}`, undefined, { data: [{ sha256Hash: hash, content: 'a' }] }),
  ...refused(`POST ${skills}`, 400, {}, [
    {},
    files(),
    files({ path: 'a.md', content: 'a' }),
    files({ path: 'SKILL.md', content: 'no front matter' }),
    ...[
      'name: a',
      'description: d',
      'name: A B\ndescription: d',
      `name: ${'x'.repeat(65)}\ndescription: d`,
      'name: ""\ndescription: d',
      'name: [',
      'name: a\ndescription: 1',
    ].map(withHead),
    ...['/a', '../a', 'a/../b', 'a//b', 'SKILL.md', ''].map(path => files(main, { path, content: 'a' })),
    files(main, { path: 'a' }),
  ]),
  ...refusedAt(`GET ${skills}`, 400, [...badPages, '?fromUpdatedAt=a']),
  ...refusedAt(`GET ${skills}/a-skill`, 400, ['?version=1&label=a', '?version=a']),
  ...refusedAt(`GET ${skills}`, 404, ['/none', '/a-skill?version=9', '/a-skill?label=none']),
  ...refusedAt(`GET ${skills}/files/content`, 400, ['', '?sha256Hashes=', `?sha256Hashes=${Array(51).fill('a').join()}`]),
  ...refused(`PATCH ${skills}/a-skill`, 400, {}, [{}, { tags: 'a' }]),
  { request: `PATCH ${skills}/none`, body: { tags: [] }, status: 404 },
  ...refused(`PATCH ${skills}/a-skill/versions/1`, 400, {}, [{}, { labels: 'a' }]),
  { request: `PATCH ${skills}/a-skill/versions/9`, body: { labels: [] }, status: 404 },
  { request: `GET ${skills}/a-skill`, status: 404, by: 'other' },
  good(`DELETE ${skills}/a-skill/versions/2`, undefined, { deleted: true }),
  good(`GET ${skills}/a-skill?label=latest`, undefined, { version: 1 }),
  { request: `DELETE ${skills}/a-skill/versions/2`, status: 404 },
  good(`DELETE ${skills}/a-skill/versions/1`, undefined, { deleted: true }),
  { request: `GET ${skills}/a-skill?label=latest`, status: 404 },

  { request: 'POST /feedback', body: feedback, status: 409 },
  ...refused('POST /feedback', 400, feedback, [
    { targetType: 'other-thing' },
    { target: ' ' },
    { target: 'x'.repeat(201) },
    { feedback: 'x'.repeat(3001) },
    { goal: 'x'.repeat(1501) },
    { referenceUrl: 'ftp://a' },
    { referenceUrl: `https://a/${'x'.repeat(2048)}` },
    { unknown: 1 },
  ]),
  { request: 'POST /feedback', body: { ...feedback, feedback: 'x'.repeat(17_000) }, status: 413 },
]

export const evaluationRows: readonly Row[] = [...evaluation, ...boards, ...skillRows]
