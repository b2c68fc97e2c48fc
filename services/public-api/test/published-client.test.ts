// Runs the published JS client of v5, which is not modified, against the API. The test calls every operation of the client's resources:
// create, read, list, change and delete.
import { createHash } from 'node:crypto'
import { createKeyStore } from '@svc-server/relational/key-store'
import * as published from 'published-v5-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPerson } from './people.ts'
import { awkwardNames, type OpenedResources, openResources } from './resources.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test calls operations of every shape
type Client = Readonly<Record<string, any>>
type ClientClass = new (options: object) => Client

function clientClass(): ClientClass {
  const found = Object.entries(published).find(([name]) => /APIClient$/.test(name))
  return found![1] as unknown as ClientClass
}

let opened: OpenedResources
/** `api` uses a key of `project-0`. `organization` uses a key of the project's organization. */
let api: Client
let organization: Client
let userId: string
/** The called operations, written as `namespace.method`. */
const called = new Set<string>()
const noting = (client: Client): Client =>
  new Proxy(client, {
    get(_, namespace: string) {
      if (client[namespace] === undefined || namespace === 'unstable') return client[namespace]
      return new Proxy(client[namespace], {
        get(target, method: string) {
          called.add(`${namespace}.${method}`)
          return (...given: readonly unknown[]) => target[method](...given)
        },
      })
    },
  })

beforeAll(async () => {
  opened = await openResources({
    env: {
      SVC_MIGRATION_V4_WRITE_MODE: 'dual',
      SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
      SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'true',
    },
  })
  const keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  const clientOf = async (owner: Parameters<typeof keys.createKeyPair>[0]['owner']) => {
    const { publicKey, secretKey } = await keys.createKeyPair({ owner })
    const environment = `http://127.0.0.1:${opened.api.port}`
    return noting(new (clientClass())({ environment, baseUrl: environment, username: publicKey, password: secretKey }))
  }
  api = await clientOf({ projectId: 'project-0' })
  organization = await clientOf({ orgId: 'org' })
  userId = (await addPerson(opened.store, 'person@example.com', 'MEMBER')).id
})
afterAll(() => opened[Symbol.asyncDispose]())

const gone = (request: Promise<unknown>) => expect(request).rejects.toMatchObject({ statusCode: 404 })

test.each(awkwardNames)('the client reads and writes prompts and datasets named %s', async name => {
  if (!name.includes('//')) {
    const text = { type: 'text', name, prompt: 'Hi', labels: ['production'], tags: ['t'], config: { a: 1 }, commitMessage: 'c' }
    const made = await api['prompts'].create(text)
    expect(await api['prompts'].get(name)).toMatchObject({ ...text, labels: expect.arrayContaining(['production', 'latest']) })
    expect((await api['prompts'].list({ name, limit: 5 })).data).toMatchObject([{ name, versions: [1] }])
    await api['prompts'].create({ ...text, prompt: 'Hi again', labels: [] })
    expect(await api['promptVersion'].update(name, 2, { newLabels: ['b'] })).toMatchObject({ version: 2 })
    expect(await api['prompts'].get(name, { label: 'b' })).toMatchObject({ version: 2, prompt: 'Hi again' })
    expect(await api['comments'].create({ projectId: 'any', objectType: 'PROMPT', objectId: made.id, content: name })).toBeDefined()
    await api['prompts'].delete(name, { version: 2 })
    await api['prompts'].delete(name)
    await gone(api['prompts'].get(name))
  }
  const dataset = await api['datasets'].create({ name, description: 'd', metadata: { a: 1 } })
  expect(await api['datasets'].get(name)).toEqual(dataset)
  expect((await api['datasets'].list({ limit: 100 })).data).toContainEqual(dataset)
  const item = await api['datasetItems'].create({ datasetName: name, id: name, input: { q: name }, metadata: null, status: 'ACTIVE' })
  expect(await api['datasetItems'].get(name)).toEqual(item)
  expect((await api['datasetItems'].list({ datasetName: name, page: 1 })).data).toEqual([item])
  const run = await api['datasetRunItems'].create({ runName: name, datasetItemId: name, traceId: 't' })
  expect(run).toMatchObject({ datasetRunName: name, datasetItemId: name })
  expect((await api['datasets'].getRuns(name)).data).toMatchObject([{ name }])
  expect(await api['datasets'].getRun(name, name)).toMatchObject({ name, datasetName: name })
  expect(await api['datasetRunItems'].list({ datasetId: dataset.id, runName: name })).toMatchObject({ meta: { page: 1 } })
  await api['datasets'].deleteRun(name, name)
  await api['datasetItems'].delete(name)
  await gone(api['datasetItems'].get(name))
})

test('comments, score configurations, models and queues', async () => {
  const { id: objectId } = await api['prompts'].create({ name: 'commented', type: 'text', prompt: '' })
  const { id } = await api['comments'].create({ projectId: 'any', objectType: 'PROMPT', objectId, content: 'said' })
  expect(await api['comments'].getById(id)).toMatchObject({ content: 'said', objectId })
  expect((await api['comments'].get({ objectType: 'PROMPT', objectId })).data).toMatchObject([{ id }])

  const config = await api['scoreConfigs'].create({ name: 'stars', dataType: 'NUMERIC', minValue: 1, maxValue: 5 })
  expect(await api['scoreConfigs'].update(config.id, { description: 'd' })).toMatchObject({ description: 'd', minValue: 1 })
  expect(await api['scoreConfigs'].getById(config.id)).toMatchObject({ name: 'stars', description: 'd' })
  expect((await api['scoreConfigs'].get({})).data).toMatchObject([{ id: config.id }])

  const flat = { modelName: 'own', matchPattern: '(?i)^own$', unit: 'TOKENS', inputPrice: 1e-6 }
  const model = await api['models'].create(flat)
  expect(await api['models'].get(model.id)).toMatchObject({ ...flat, prices: { input: { price: 1e-6 } } })
  expect(await api['models'].upsert(model.id, { ...flat, inputPrice: 2 })).toMatchObject({ inputPrice: 2 })
  expect((await api['models'].list({ limit: 1 })).data).toHaveLength(1)
  await api['models'].delete(model.id)
  await gone(api['models'].get(model.id))

  const queue = await api['annotationQueues'].createQueue({ name: 'q', scoreConfigIds: [config.id] })
  expect((await api['annotationQueues'].listQueues({})).data).toEqual([queue])
  expect(await api['annotationQueues'].getQueue(queue.id)).toEqual(queue)
  const item = await api['annotationQueues'].createQueueItem(queue.id, { objectId: 't', objectType: 'TRACE' })
  expect(await api['annotationQueues'].getQueueItem(queue.id, item.id)).toEqual(item)
  expect(await api['annotationQueues'].updateQueueItem(queue.id, item.id, { status: 'COMPLETED' })).toMatchObject({ status: 'COMPLETED' })
  expect((await api['annotationQueues'].listQueueItems(queue.id, { status: 'COMPLETED' })).data).toMatchObject([{ id: item.id }])
  expect(await api['annotationQueues'].createQueueAssignment(queue.id, { userId })).toMatchObject({ userId, queueId: queue.id })
  expect(await api['annotationQueues'].deleteQueueAssignment(queue.id, { userId })).toMatchObject({ success: true })
  expect(await api['annotationQueues'].deleteQueueItem(queue.id, item.id)).toMatchObject({ success: true })
})

test('connections, evaluators and rules', async () => {
  const connection = await api['llmConnections'].upsert({ provider: 'p', adapter: 'openai', secretKey: 'sk-12345678' })
  expect((await api['llmConnections'].list({})).data).toEqual([connection])
  const definition = {
    ...{ type: 'llm_as_judge', prompt: 'Judge {{output}}', modelConfig: { provider: 'p', model: 'm' } },
    ...{ variableMapping: [{ variable: 'output', source: 'output' }], outputDefinition: { dataType: 'BOOLEAN' } },
  }
  const evaluator = await api['evaluators'].create({ name: 'e', ...definition })
  expect(await api['evaluators'].update(evaluator.id, { name: 'f' })).toMatchObject({ name: 'f', version: 1 })
  expect(await api['evaluators'].update(evaluator.id, definition)).toMatchObject({ version: 2 })
  expect(await api['evaluators'].get(evaluator.id)).toMatchObject({ name: 'f', version: 2 })
  expect((await api['evaluators'].list({ limit: 1 })).data).toMatchObject([{ id: evaluator.id }])
  expect((await api['evaluators'].listVersions(evaluator.id, {})).data).toMatchObject([{ version: 2 }, { version: 1 }])
  const evaluatorAssignments = [{ evaluatorId: evaluator.id }]
  const rule = await api['evaluationRules'].create({ name: 'r', enabled: true, sampling: 0.5, filter: [], evaluatorAssignments })
  expect(await api['evaluationRules'].update(rule.id, { enabled: false })).toMatchObject({ enabled: false, sampling: 0.5 })
  expect(await api['evaluationRules'].get(rule.id)).toMatchObject({ name: 'r', enabled: false })
  expect((await api['evaluationRules'].list({})).data).toMatchObject([{ id: rule.id }])
  expect(await api['evaluationRules'].delete(rule.id)).toMatchObject({ id: rule.id })
  expect(await api['evaluators'].delete(evaluator.id)).toMatchObject({ id: evaluator.id })
  await gone(api['evaluators'].get(evaluator.id))
  expect(await api['llmConnections'].delete(connection.id)).toMatchObject({ message: expect.any(String) })
})

test('dashboards and widgets', async () => {
  const { dashboards, dashboardWidgets } = api['unstable']
  const widget = await dashboardWidgets.create({
    ...{ name: 'w', view: 'observations', dimensions: [], metrics: [{ measure: 'count', agg: 'count' }], filters: [] },
    chartType: 'NUMBER',
  })
  expect(await dashboardWidgets.update(widget.id, { name: 'v' })).toMatchObject({ name: 'v' })
  expect(await dashboardWidgets.get(widget.id)).toMatchObject({ name: 'v' })
  expect((await dashboardWidgets.list({})).data).toMatchObject([{ id: widget.id }])
  const dashboard = await dashboards.create({ name: 'd' })
  const placement = await dashboards.addPlacement(dashboard.id, { type: 'widget', widgetId: widget.id })
  expect(await dashboards.updatePlacement(dashboard.id, placement.id, { x: 2 })).toMatchObject({ x: 2, widgetId: widget.id })
  expect(await dashboards.get(dashboard.id)).toMatchObject({ definition: { widgets: [{ id: placement.id }] } })
  expect(await dashboards.update(dashboard.id, { description: 'e' })).toMatchObject({ description: 'e' })
  expect((await dashboards.list({})).data).toMatchObject([{ id: dashboard.id }])
  await dashboards.deletePlacement(dashboard.id, placement.id)
  await dashboards.delete(dashboard.id)
  await dashboardWidgets.delete(widget.id)
  await gone(dashboards.get(dashboard.id))
})

test('uploaded media bytes come back', async () => {
  const bytes = Buffer.from('%PDF-1.4 bytes')
  const sha256Hash = createHash('sha256').update(bytes).digest('base64')
  const about = { contentType: 'application/pdf', contentLength: bytes.length, sha256Hash, traceId: 't', field: 'input' }
  const { mediaId, uploadUrl } = await api['media'].getUploadUrl(about)
  const headers = { 'content-type': about.contentType, 'x-amz-checksum-sha256': sha256Hash }
  const { status } = await fetch(uploadUrl, { method: 'PUT', body: bytes, headers })
  expect(status).toBe(200)
  await api['media'].patch(mediaId, { uploadedAt: new Date().toISOString(), uploadHttpStatus: status, uploadTimeMs: 1 })
  const { url, contentLength } = await api['media'].get(mediaId)
  expect([contentLength, Buffer.from(await (await fetch(url)).arrayBuffer())]).toEqual([bytes.length, bytes])
  expect(await api['media'].getUploadUrl(about)).toMatchObject({ mediaId, uploadUrl: null })
})

test('organizations, projects, keys, users and exports', async () => {
  const { organizations, projects, scim, blobStorageIntegrations: exports } = organization as Record<string, Client>
  expect(await organizations!['updateOrganizationMembership']({ userId, role: 'VIEWER' })).toMatchObject({ role: 'VIEWER' })
  expect((await organizations!['getOrganizationMemberships']()).memberships).toMatchObject([{ userId, role: 'VIEWER' }])
  expect(await organizations!['updateProjectMembership']('project-0', { userId, role: 'ADMIN' })).toMatchObject({ role: 'ADMIN' })
  expect((await organizations!['getProjectMemberships']('project-0')).memberships).toMatchObject([{ userId, role: 'ADMIN' }])
  await organizations!['deleteProjectMembership']('project-0', { userId })
  await organizations!['deleteOrganizationMembership']({ userId })
  expect((await organizations!['getOrganizationProjects']()).projects).toHaveLength(2)
  expect((await organizations!['getOrganizationApiKeys']()).apiKeys.length).toBeGreaterThan(0)

  expect(await api['projects'].get()).toMatchObject({ data: [{ id: 'project-0', organization: { id: 'org' } }] })
  const project = await projects!['create']({ name: 'Made', retention: 0, metadata: { a: 1 } })
  expect(await projects!['update'](project.id, { name: 'Renamed', retention: 3 })).toMatchObject({ retentionDays: 3, metadata: { a: 1 } })
  const key = await projects!['createApiKey'](project.id, { note: 'n' })
  expect((await projects!['getApiKeys'](project.id)).apiKeys).toMatchObject([{ id: key.id, note: 'n' }])
  expect(await projects!['deleteApiKey'](project.id, key.id)).toEqual({ success: true })
  expect(await projects!['delete'](project.id)).toMatchObject({ success: true })

  for (const method of ['getServiceProviderConfig', 'getResourceTypes', 'getSchemas']) expect(await scim![method]()).toBeDefined()
  const user = await scim!['createUser']({ userName: 'new@example.com', name: { formatted: 'New' }, active: true })
  expect(await scim!['getUser'](user.id)).toMatchObject({ userName: 'new@example.com' })
  expect((await scim!['listUsers']({ filter: 'userName eq "new@example.com"' })).Resources).toMatchObject([{ id: user.id }])
  await scim!['deleteUser'](user.id)
  await gone(scim!['getUser'](user.id))

  await exports!['upsertBlobStorageIntegration']({
    ...{ projectId: 'project-0', type: 'S3', bucketName: 'b', region: 'eu', exportFrequency: 'daily', enabled: false },
    ...{ forcePathStyle: false, fileType: 'JSONL', exportMode: 'FROM_TODAY', accessKeyId: 'a', secretAccessKey: 's' },
  })
  expect((await exports!['getBlobStorageIntegrations']()).data).toMatchObject([{ projectId: 'project-0', fileType: 'JSONL' }])
  expect(await exports!['getBlobStorageIntegrationStatus']('project-0')).toMatchObject({ syncStatus: 'disabled' })
  await exports!['deleteBlobStorageIntegration']('project-0')
  await expect(api['feedback'].submit({ targetType: 'docs', target: 'a', feedback: 'b' })).rejects.toMatchObject({ statusCode: 409 })
})

/** Other tests cover these namespaces, because their operations need a column store. */
const elsewhere = /^(experiments|health|ingestion|legacy|metrics|observations|opentelemetry|scores|scoresV3|sessions|trace|unstable)\./
test('every resource method of the client is tested', () => {
  const client = new (clientClass())({ environment: 'http://127.0.0.1' })
  const namespaces = Object.entries(Object.getOwnPropertyDescriptors(clientClass().prototype)).filter(([, { get }]) => get !== undefined)
  const methods = namespaces.flatMap(([namespace]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(client[namespace]))
      .filter(method => !/^(constructor$|_)/.test(method))
      .map(method => `${namespace}.${method}`),
  )
  expect(methods.filter(method => !elsewhere.test(method) && !called.has(method))).toEqual([])
  expect(called.size).toBeGreaterThan(70)
})
