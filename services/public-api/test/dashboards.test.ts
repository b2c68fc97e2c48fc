import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
beforeAll(async () => {
  opened = await openResources()
})
afterAll(() => opened[Symbol.asyncDispose]())

const send: OpenedResources['send'] = (method, path, ...rest) => opened.send(method, `/unstable/${path}`, ...rest)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

const widget = {
  name: 'Cost by model',
  description: 'Of a day.',
  view: 'observations',
  dimensions: [{ field: 'providedModelName' }],
  metrics: [{ measure: 'totalCost', agg: 'sum' }],
  filters: [{ column: 'type', operator: 'any of', type: 'stringOptions', value: ['GENERATION'] }],
  chartType: 'HORIZONTAL_BAR',
  chartConfig: { type: 'HORIZONTAL_BAR', row_limit: 20, show_value_labels: true },
}
const makeWidget = async (more: object = {}) => (await send('POST', 'dashboard-widgets', { ...widget, ...more })).json

test('a widget is created with every field, changed, listed and deleted', async () => {
  const made = await send('POST', 'dashboard-widgets', widget)
  expect([made.status, made.json]).toEqual([200, { ...widget, id: expect.any(String), createdAt: time, updatedAt: time }])
  const { id } = made.json
  expect((await send('GET', `dashboard-widgets/${id}`)).json).toEqual(made.json)
  const patch = {
    name: 'n',
    description: '',
    view: 'scores-boolean',
    dimensions: [],
    metrics: [{ measure: 'count', agg: 'count' }],
    filters: [],
  }
  const changed = await send('PATCH', `dashboard-widgets/${id}`, { ...patch, chartType: 'HISTOGRAM' })
  expect([changed.status, changed.json]).toMatchObject([
    200,
    { ...patch, chartType: 'HISTOGRAM', chartConfig: { type: 'HISTOGRAM', bins: 10 } },
  ])
  expect((await send('PATCH', `dashboard-widgets/${id}`, { chartConfig: { bins: 30 } })).json.chartConfig).toEqual({
    type: 'HISTOGRAM',
    bins: 30,
  })
  const pivot = {
    chartType: 'PIVOT_TABLE',
    dimensions: [{ field: 'name' }, { field: 'environment' }],
    chartConfig: { defaultSort: { column: 'a', order: 'ASC' } },
  }
  expect((await send('PATCH', `dashboard-widgets/${id}`, pivot)).json).toMatchObject({
    ...pivot,
    chartConfig: { type: 'PIVOT_TABLE', defaultSort: { column: 'a', order: 'ASC' } },
  })
  const listed = (await send('GET', 'dashboard-widgets?limit=1')).json
  expect([listed.data.length, listed.meta.totalItems]).toEqual([1, 1])
  expect((await opened.sendOther('GET', `/unstable/dashboard-widgets/${id}`)).json).toEqual({
    message: `Dashboard widget ${id} not found`,
    code: 'resource_not_found',
  })
  expect((await opened.sendOther('DELETE', `/unstable/dashboard-widgets/${id}`)).status).toBe(404)
  expect((await send('DELETE', `dashboard-widgets/${id}`)).json).toEqual({ message: 'Dashboard widget successfully deleted' })
  expect((await send('DELETE', `dashboard-widgets/${id}`)).status).toBe(404)
  expect(await opened.audit(id)).toEqual(['create dashboardWidget', ...Array(3).fill('update dashboardWidget'), 'delete dashboardWidget'])
})

test('every chart type of every view is stored', async () => {
  for (const chartType of ['LINE_TIME_SERIES', 'AREA_TIME_SERIES', 'BAR_TIME_SERIES', 'VERTICAL_BAR', 'PIE', 'NUMBER'])
    expect(await makeWidget({ chartType, chartConfig: undefined })).toMatchObject({ chartType, chartConfig: { type: chartType } })
  for (const view of ['scores-numeric', 'scores-categorical'])
    expect(await makeWidget({ view, dimensions: [], metrics: [{ measure: 'count', agg: 'count' }], filters: [] })).toMatchObject({ view })
})

test('names and aggregations that a view lacks are refused with a list of valid ones', async () => {
  const create = async (more: object) => (await send('POST', 'dashboard-widgets', { ...widget, ...more })).json
  const refusal = (field: string, ...allowed: string[]) => ({
    code: 'invalid_request',
    details: { field, allowedValues: expect.arrayContaining(allowed) },
  })
  expect(await create({ dimensions: [{ field: 'nothing' }] })).toMatchObject(refusal('dimensions', 'name', 'environment'))
  expect(await create({ metrics: [{ measure: 'nothing', agg: 'sum' }] })).toMatchObject(refusal('metrics', 'latency'))
  expect(await create({ metrics: [{ measure: 'uniqueUserIds', agg: 'sum' }] })).toMatchObject(refusal('metrics', 'count', 'uniq'))
  expect(await create({ chartConfig: { type: 'PIE' } })).toMatchObject(refusal('chartConfig', 'HORIZONTAL_BAR'))
  expect(await create({ chartConfig: { bins: 3 } })).toMatchObject(refusal('chartConfig', 'row_limit', 'show_value_labels'))
  expect(await create({ dimensions: [{ field: 'name' }, { field: 'type' }] })).toMatchObject({
    code: 'invalid_request',
    details: { field: 'dimensions' },
  })
  const bodies = [
    { filters: [{ column: 'nothing', operator: '=', type: 'string', value: 'a' }] },
    { filters: [{ column: 'name', operator: 'like', type: 'string', value: 'a' }] },
    { metrics: [] },
    { view: 'traces' },
    { chartType: 'OTHER' },
    { chartConfig: { row_limit: 1_001 } },
    { name: '' },
  ]
  for (const more of bodies)
    expect((await send('POST', 'dashboard-widgets', { ...widget, ...more })).status, JSON.stringify(more)).toBe(400)
  const { id } = await makeWidget()
  for (const body of [{}, { view: 'scores-numeric' }, { name: null }])
    expect((await send('PATCH', `dashboard-widgets/${id}`, body)).status, JSON.stringify(body)).toBe(400)
})

test('a dashboard is created with every field, and its placements are added, moved and removed', async () => {
  const { id: widgetId } = await makeWidget()
  const placement = { type: 'widget', id: 'one', widgetId, x: 1, y: 2, width: 3, height: 4 }
  const preset = { type: 'preset', id: 'two', presetId: 'home-traces', x: 0, y: 6, width: 12, height: 5 }
  const given = {
    name: 'Costs',
    description: 'Of models.',
    definition: { widgets: [placement, preset] },
    filters: [{ column: 'environment', operator: 'any of', type: 'stringOptions', value: ['production'] }],
  }
  const made = await send('POST', 'dashboards', given)
  expect([made.status, made.json]).toEqual([200, { ...given, id: expect.any(String), createdAt: time, updatedAt: time }])
  const { id } = made.json
  const path = `dashboards/${id}`
  expect((await send('GET', path)).json).toEqual(made.json)

  const added = await send('POST', `${path}/placements`, { type: 'widget', widgetId })
  expect([added.status, added.json]).toEqual([200, { type: 'widget', widgetId, id: expect.any(String), x: 0, y: 11, width: 6, height: 6 }])
  const moved = await send('PATCH', `${path}/placements/one`, { x: 5, height: 1 })
  expect(moved.json).toEqual({ ...placement, x: 5, height: 1 })
  expect((await send('DELETE', `${path}/placements/two`)).json).toEqual({ message: 'Placement successfully deleted' })
  expect((await send('GET', path)).json.definition).toEqual({ widgets: [moved.json, added.json] })
  const { status } = await send('POST', `${path}/placements`, { ...placement, id: 'one' })
  expect(status).toBe(409)
  const missing = [
    ['POST', `${path}/placements`, { type: 'widget', widgetId: 'nothing' }],
    ['POST', `${path}/placements`, { type: 'preset', presetId: 'nothing' }],
    ['POST', 'dashboards/nothing/placements', { type: 'widget', widgetId }],
    ['PATCH', `${path}/placements/two`, { x: 1 }],
    ['DELETE', `${path}/placements/two`, undefined],
    ['POST', 'dashboards', { name: 'a', definition: { widgets: [{ ...placement, widgetId: 'nothing' }] } }],
    ['GET', 'dashboards/nothing', undefined],
  ] as const
  for (const [method, at, body] of missing) expect((await send(method, at, body)).status, `${method} ${at}`).toBe(404)
  const wrong = [
    ['PATCH', `${path}/placements/one`, {}],
    ['PATCH', `${path}/placements/one`, { x: -1 }],
    ['PATCH', `${path}/placements/one`, { width: 0 }],
    ['POST', `${path}/placements`, { type: 'widget', widgetId, color: 'red' }],
    ['PATCH', path, {}],
    ['PATCH', path, { definition: { widgets: [placement, placement] } }],
    ['POST', 'dashboards', { name: '' }],
  ] as const
  for (const [method, at, body] of wrong) expect((await send(method, at, body)).status, `${method} ${at}`).toBe(400)

  expect((await send('DELETE', `dashboard-widgets/${widgetId}`)).json).toMatchObject({ code: 'conflict' })
  expect((await send('PATCH', path, { name: 'n', description: 'd', definition: { widgets: [] }, filters: [] })).json).toMatchObject({
    ...{ name: 'n', description: 'd', definition: { widgets: [] }, filters: [] },
  })
  expect((await send('DELETE', `dashboard-widgets/${widgetId}`)).status).toBe(200)
  expect((await send('POST', 'dashboards', { name: 'plain' })).json).toMatchObject({
    description: '',
    definition: { widgets: [] },
    filters: [],
  })
  expect((await send('GET', 'dashboards')).json.data.map(({ name }: { name: string }) => name)).toEqual(['plain', 'n'])
  expect((await opened.sendOther('GET', '/unstable/dashboards')).json.data).toEqual([])
  expect((await opened.sendOther('PATCH', `/unstable/${path}`, { name: 'x' })).status).toBe(404)
  expect((await send('DELETE', path)).json).toEqual({ message: 'Dashboard successfully deleted' })
  expect((await send('DELETE', path)).json).toEqual({ message: `Dashboard ${id} not found`, code: 'resource_not_found' })
})

test('twenty concurrent placements are all kept; a widget is deleted or placed, never both', async () => {
  const { id } = (await send('POST', 'dashboards', { name: 'raced' })).json
  await Promise.all(
    Array.from({ length: 20 }, () => send('POST', `dashboards/${id}/placements`, { type: 'preset', presetId: 'home-users' })),
  )
  const { widgets } = (await send('GET', `dashboards/${id}`)).json.definition
  expect(new Set(widgets.map(({ y }: { y: number }) => y)).size).toBe(20)
  const { id: widgetId } = await makeWidget()
  const [placed, deleted] = await Promise.all([
    send('POST', `dashboards/${id}/placements`, { type: 'widget', widgetId }),
    send('DELETE', `dashboard-widgets/${widgetId}`),
  ])
  expect([placed.status, deleted.status].toSorted()).toEqual(placed.status === 200 ? [200, 409] : [200, 404])
})
