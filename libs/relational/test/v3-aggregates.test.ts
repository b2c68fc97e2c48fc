// The tests run repositories on tables of an older v3 release. These tables had fewer columns.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createQueueItem, lockNextItem, updateQueueItem } from '../src/annotation-queues/items.ts'
import { assignUser, createQueue, listQueues, readAssignedUsers } from '../src/annotation-queues/repository.ts'
import { createComment, listComments } from '../src/comments/repository.ts'
import { createDashboard } from '../src/dashboards/repository.ts'
import { createWidget, getWidget } from '../src/dashboards/widgets.ts'
import { deleteRule, listRules, updateRule } from '../src/evaluation-rules/repository.ts'
import { getEvaluator, listEvaluators, listEvaluatorVersions } from '../src/evaluators/repository.ts'
import { upsertLlmConnection } from '../src/llm-connections/repository.ts'
import { linkMedia } from '../src/media/links.ts'
import { ensureMedia, readMediaOfTrace } from '../src/media/repository.ts'
import { accessToProject, organizationsOf } from '../src/memberships/access.ts'
import { addMember, putMember, putProjectMember, removeMember } from '../src/memberships/repository.ts'
import { createModel, deleteModel, getModel } from '../src/models/repository.ts'
import { standardTier } from '../src/models/rules.ts'
import { createPrompt, deletePrompt, getPrompt, resolvePrompt } from '../src/prompts/repository.ts'
import { createScoreConfig, updateScoreConfig } from '../src/score-configs/repository.ts'
import { openRelationalStore, type RelationalStore } from '../src/store/store.ts'
import { type InProject, inProject, instance } from '../src/tenancy/handles.ts'
import { readSessions } from '../src/trace-sessions/repository.ts'
import { verifyPassword } from '../src/users/passwords.ts'
import { findCredentials } from '../src/users/repository.ts'
import { author as by } from './projects.ts'
import { newDatabase, type TestDatabase, v3Schema } from './v3-database.ts'

const ofProject = `id text not null, created_at timestamp(3) not null default current_timestamp, updated_at timestamp(3) not null,
  project_id text not null references projects (id) on delete cascade on update cascade`

const v3Tables = `
  create type "CommentObjectType" as enum ('TRACE', 'OBSERVATION', 'SESSION', 'PROMPT');
  create type "ScoreConfigDataType" as enum ('CATEGORICAL', 'NUMERIC', 'BOOLEAN');
  create type "AnnotationQueueStatus" as enum ('PENDING', 'COMPLETED');
  create type "AnnotationQueueObjectType" as enum ('TRACE', 'OBSERVATION', 'SESSION');
  create type "Role" as enum ('OWNER', 'ADMIN', 'MEMBER', 'VIEWER', 'NONE');
  create table users (id text primary key, name text, email text unique, email_verified timestamp(3), password text, image text,
    created_at timestamp(3) not null default current_timestamp, updated_at timestamp(3) not null default current_timestamp,
    feature_flags text[] default array[]::text[], admin boolean not null default false);
  create table organization_memberships (id text primary key, org_id text not null references organizations (id) on delete cascade on update cascade,
    user_id text not null references users (id) on delete cascade on update cascade, role "Role" not null,
    created_at timestamp(3) not null default current_timestamp, updated_at timestamp(3) not null default current_timestamp, unique (org_id, user_id));
  create table project_memberships (project_id text not null references projects (id) on delete cascade, user_id text not null references users (id)
    on delete cascade, created_at timestamp(3) not null default current_timestamp, updated_at timestamp(3) not null default current_timestamp,
    org_membership_id text not null references organization_memberships (id) on delete cascade, role "Role" not null, primary key (project_id, user_id));
  insert into users (id, name, email, password) values ('u', 'Ada', 'ada@example.com', '$2a$12$eTzT79.TZyhDYvuKYww08OLjiFYHzrOCUEj5v6e/wNIlcQ9kxITGG');
  insert into organization_memberships (id, org_id, user_id, role) values ('om', 'o', 'u', 'OWNER');
  insert into project_memberships (project_id, user_id, org_membership_id, role) values ('p', 'u', 'om', 'VIEWER');
  create table comments (${ofProject}, object_type "CommentObjectType" not null, object_id text not null, content text not null, author_user_id text,
    primary key (id));
  create table score_configs (${ofProject}, name text not null, data_type "ScoreConfigDataType" not null, is_archived boolean not null default false,
    min_value double precision, max_value double precision, categories jsonb, description text, primary key (id), unique (id, project_id));
  create table annotation_queues (${ofProject}, name text not null, description text, score_config_ids text[] default array[]::text[], primary key (id),
    unique (project_id, name));
  create table annotation_queue_items (${ofProject}, queue_id text not null references annotation_queues (id) on delete cascade, object_id text not null,
    object_type "AnnotationQueueObjectType" not null, status "AnnotationQueueStatus" not null default 'PENDING', locked_at timestamp(3),
    locked_by_user_id text, annotator_user_id text, completed_at timestamp(3), primary key (id));
  create table media (${ofProject}, sha_256_hash char(44) not null, uploaded_at timestamp(3), upload_http_status integer, upload_http_error text,
    bucket_path text not null, bucket_name text not null, content_type text not null, content_length bigint not null, primary key (id),
    unique (project_id, id), unique (project_id, sha_256_hash));
  create table trace_media (${ofProject}, media_id text not null, trace_id text not null, field text not null, primary key (id),
    unique (project_id, trace_id, media_id, field), foreign key (media_id, project_id) references media (id, project_id) on delete cascade);
  create type "DashboardWidgetViews" as enum ('TRACES', 'OBSERVATIONS', 'SCORES_NUMERIC', 'SCORES_CATEGORICAL');
  create type "DashboardWidgetChartType" as enum ('LINE_TIME_SERIES', 'BAR_TIME_SERIES', 'HORIZONTAL_BAR', 'VERTICAL_BAR', 'PIE', 'NUMBER');
  create table dashboards (id text not null, created_at timestamp(3) not null default current_timestamp, updated_at timestamp(3) not null, created_by text,
    updated_by text, project_id text, name text not null, description text not null, definition json not null, primary key (id));
  create table dashboard_widgets (id text not null, created_at timestamp(3) not null default current_timestamp, updated_at timestamp(3) not null,
    created_by text, updated_by text, project_id text, name text not null, description text not null, view "DashboardWidgetViews" not null,
    dimensions json not null, metrics json not null, filters json not null, chart_type "DashboardWidgetChartType" not null, chart_config json not null,
    primary key (id));
  insert into dashboard_widgets (id, updated_at, name, description, view, dimensions, metrics, filters, chart_type, chart_config) values
    ('managed', now(), 'm', '', 'TRACES', '[]', '[]', '[]', 'NUMBER', '{"type":"NUMBER"}');
  create type "JobType" as enum ('EVAL');
  create type "JobConfigState" as enum ('ACTIVE', 'INACTIVE');
  create table llm_api_keys (${ofProject}, provider text not null, adapter text not null, display_secret_key text not null, secret_key text not null,
    base_url text, custom_models text[] not null default '{}', with_default_models boolean not null default true, primary key (id), unique (project_id, provider));
  create table eval_templates (id text not null, created_at timestamp(3) not null default current_timestamp, updated_at timestamp(3) not null, project_id text,
    name text not null, version integer not null, prompt text not null, model text, provider text, model_params jsonb, vars text[] default array[]::text[],
    output_schema jsonb not null, primary key (id), unique (project_id, name, version));
  create table job_configurations (${ofProject}, job_type "JobType" not null, status "JobConfigState" not null default 'ACTIVE', eval_template_id text
    references eval_templates (id), score_name text not null, filter jsonb not null, target_object text not null, variable_mapping jsonb not null,
    sampling decimal(65,30) not null, delay integer not null, time_scope text[] default array['NEW']::text[], primary key (id));
  insert into eval_templates (id, created_at, updated_at, project_id, name, version, prompt, model, provider, vars, output_schema) values
    ('t1', '2026-01-01', '2026-01-01', 'p', 'toxic', 1, 'Old {{out}}', null, null, '{out}', '{"score":"s","reasoning":"r"}'),
    ('t2', '2026-01-02', '2026-01-02', 'p', 'toxic', 2, 'New {{out}}', 'm', 'openai', '{out}', '{"score":"s","reasoning":"r"}'),
    ('managed', '2025-01-01', '2025-01-01', null, 'helpful', 1, 'Judge {{out}}', null, null, '{out}', '{"score":"s","reasoning":"r"}'),
    ('unused', '2025-01-01', '2025-01-01', null, 'unused', 1, 'Judge', null, null, '{}', '{}');
  insert into job_configurations (id, created_at, updated_at, project_id, job_type, status, eval_template_id, score_name, filter, target_object, variable_mapping,
    sampling, delay) values
    ('c1', '2026-02-01', '2026-02-01', 'p', 'EVAL', 'ACTIVE', 't2', 'toxicity', '[{"type":"string","column":"Name","operator":"=","value":"a"}]', 'trace',
     '[{"templateVariable":"out","brandObject":"generation","objectName":"answer","selectedColumnId":"output","jsonSelector":"$.text"}]', 0.5, 10000),
    ('c2', '2026-02-02', '2026-02-02', 'p', 'EVAL', 'INACTIVE', 'managed', 'help', '[]', 'dataset',
     '[{"templateVariable":"out","brandObject":"dataset_item","selectedColumnId":"expected_output","jsonSelector":null}]', 1, 0);
  create table trace_sessions (${ofProject}, bookmarked boolean not null default false, public boolean not null default false, primary key (id, project_id));
  insert into trace_sessions (id, created_at, updated_at, project_id) values ('s', '2026-02-03 04:05:06.789', '2026-02-04', 'p');
`

let database: TestDatabase
let store: RelationalStore
let project: InProject
beforeAll(async () => {
  database = await newDatabase()
  await database.query(v3Schema('pepper-pepper'))
  await database.query(v3Tables)
  store = await openRelationalStore({ kind: 'postgres', url: database.url })
  project = inProject(store, 'p')
})
afterAll(async () => {
  await store?.close()
  await database?.[Symbol.asyncDispose]()
})

const first = { page: 1, limit: 10 }

test('creates and lists comments', async () => {
  const made = await createComment(project, by, { objectType: 'TRACE', objectId: 't', content: 'x' })
  expect(made.createdAt).toEqual(by.at)
  expect(await listComments(project, { objectType: 'TRACE' }, first)).toEqual({ rows: [made], totalItems: 1 })
})

test('score configurations and annotation queues', async () => {
  const config = await createScoreConfig(project, by, { name: 'yes', dataType: 'BOOLEAN' })
  expect(await updateScoreConfig(project, by, config.id, { name: 'yes or no' })).toMatchObject({ name: 'yes or no', dataType: 'BOOLEAN' })
  const queue = await createQueue(project, by, { name: 'q', scoreConfigIds: [config.id] })
  await expect(createQueue(project, by, { name: 'q', scoreConfigIds: [config.id] })).rejects.toMatchObject({
    message: 'A queue with this name already exists.',
  })
  expect(await listQueues(project, { from: by.at }, first)).toEqual({ rows: [queue], totalItems: 1 })
  const item = (await createQueueItem(project, by, queue.id, { objectId: 's', objectType: 'SESSION' }))!
  expect(await lockNextItem(project, queue.id, 'u', by.at)).toMatchObject({ id: item.id, lockedAt: by.at, lockedByUserId: 'u' })
  const completed = await updateQueueItem(project, by, { queueId: queue.id, itemId: item.id }, 'COMPLETED')
  expect(completed).toMatchObject({ status: 'COMPLETED', completedAt: by.at })
  expect(await assignUser(project, by, queue.id, 'u')).toBe(true)
  expect(await readAssignedUsers(project, queue.id)).toEqual(['u'])
})

test('models with prices of thirty decimals', async () => {
  const tiers = [standardTier({ input: '0.0000025' })]
  const made = await createModel(project, by, { modelName: 'own', matchPattern: 'own', unit: 'TOKENS', tiers })
  expect(made.tiers).toMatchObject(tiers)
  expect((await getModel(project, 'm'))!.tiers).toMatchObject(tiers)
  expect([await deleteModel(project, by, 'm'), await deleteModel(project, by, made.id)]).toEqual([false, true])
})

test('prompts', async () => {
  const text = (name: string, prompt: string) =>
    ({ name, type: 'text', prompt, labels: ['production'], tags: ['x'], createdBy: 'API' }) as const
  await createPrompt(project, by, text('a', 'one'))
  await createPrompt(project, by, text('a', 'two'))
  const b = await createPrompt(project, by, text('b', '@@@svcPrompt:name=a|label=production@@@'))
  expect((await resolvePrompt(project, b)).prompt).toBe('two')
  expect((await getPrompt(project, 'a', { version: 1 }))!.labels).toEqual([])
  await expect(deletePrompt(project, by, 'a')).rejects.toMatchObject({ code: 'bad_request' })
  expect([await deletePrompt(project, by, 'b'), await deletePrompt(project, by, 'a')]).toEqual([1, 2])
})

test('media and sessions', async () => {
  const file = { sha256Hash: `${'A'.repeat(43)}=`, contentType: 'image/png', contentLength: 5, bucketName: 'b', bucketPath: 'p' }
  const { id } = await ensureMedia(project, file, by.at)
  await linkMedia(project, id, { traceId: 't', field: 'input', origin: 'CLIENT_UPLOAD' }, by.at)
  expect(await readMediaOfTrace(project, 't')).toMatchObject([{ id, contentLength: 5, field: 'input' }])
  const createdAt = new Date('2026-02-03T04:05:06.789Z')
  expect(await readSessions(project, ['s'])).toEqual([{ id: 's', environment: 'default', createdAt }])
})

test('lists evaluators and rules of v3 as legacy ones, which can only be disabled and deleted', async () => {
  const { rows: evaluators } = await listEvaluators(project, { limit: 10 })
  expect(evaluators.map(({ name, description, newest }) => [name, description?.slice(0, 6), newest.version])).toEqual([
    ['toxic', 'Legacy', 2],
    ['helpful', 'Legacy', 1],
  ])
  expect(evaluators.map(({ isLegacy }) => isLegacy)).toEqual([true, true])
  const [toxic, helpful] = evaluators
  const definition = {
    ...{ type: 'llm_as_judge', variables: ['out'], variableMapping: null, modelConfig: { provider: 'openai', model: 'm' } },
    prompt: [{ role: 'user', content: 'New {{out}}' }],
    outputDefinition: { dataType: 'NUMERIC', scoreReasoningInstructions: 'r', scoreValueInstructions: 's' },
  }
  expect(toxic!.newest.definition).toEqual(definition)
  expect((await listEvaluatorVersions(project, toxic!.id, { limit: 10 }))!.rows.map(({ version }) => version)).toEqual([2, 1])

  const { rows: rules } = await listRules(project, { limit: 10 })
  const legacy = { mappingType: 'legacy', variable: 'out' }
  expect(rules).toMatchObject([
    {
      ...{ id: 'c2', name: 'help', isEnabled: false, isLegacy: true, sampling: 1, filter: [] },
      assignments: [
        {
          evaluatorId: helpful!.id,
          variableMapping: [{ ...legacy, svcObject: 'dataset_item', objectName: null, source: 'expected_output' }],
        },
      ],
    },
    {
      ...{ id: 'c1', name: 'toxicity', isEnabled: true, isLegacy: true, sampling: 0.5 },
      assignments: [
        {
          evaluatorId: toxic!.id,
          variableMapping: [{ ...legacy, svcObject: 'generation', objectName: 'answer', source: 'output', jsonPath: '$.text' }],
        },
      ],
    },
  ])
  for (const change of [{ name: 'a' }, { isEnabled: true }, { isEnabled: false, sampling: 1 }])
    await expect(updateRule(project, by, 'c1', change)).rejects.toMatchObject({ code: 'bad_request' })
  expect(await updateRule(project, by, 'c1', { isEnabled: false })).toMatchObject({ isEnabled: false })
  expect(await deleteRule(project, by, 'c2')).toBe(true)
  expect((await getEvaluator(project, helpful!.id))!.assignments).toEqual([])
  const left = await database.query('select id, status from job_configurations order by id')
  expect(left).toEqual([
    { id: 'c1', status: 'INACTIVE' },
    { id: 'c2', status: 'INACTIVE' },
  ])
})

test('LLM connections', async () => {
  const given = {
    ...{ provider: 'openai', adapter: 'openai', displaySecretKey: '...1', encryptedSecretKey: 'a', baseURL: null, customModels: ['m'] },
    ...{ withDefaultModels: true, encryptedExtraHeaders: 'b', extraHeaderKeys: ['x'], config: { useResponsesApi: true } },
  }
  expect(await upsertLlmConnection(project, by, given)).toMatchObject({
    isNew: true,
    connection: { extraHeaderKeys: ['x'], config: given.config },
  })
})

test('users keep their passwords', async () => {
  const all = instance(store)
  expect(await accessToProject(all, 'u', 'p')).toEqual({ orgId: 'o', role: 'VIEWER', roleInOrganization: 'OWNER' })
  const { user, hash } = (await findCredentials(all, 'Ada@Example.com'))!
  expect([await verifyPassword('correct horse', hash), await verifyPassword('battery', hash)]).toEqual([true, false])
  const change = { orgId: 'o', userId: user.id, keepOwner: true } as const
  expect(await putMember(all, by, { ...change, role: 'ADMIN' })).toEqual({ refused: 'last_owner' })
  const added = await addMember(all, by, { orgId: 'o', email: 'new@example.com', role: 'OWNER' })
  expect(await addMember(all, by, { orgId: 'o', email: 'NEW@example.com', role: 'OWNER' })).toBe('member')
  expect(await putMember(all, by, { ...change, role: 'ADMIN' })).toMatchObject({ role: 'ADMIN' })
  expect(await putProjectMember(all, by, { orgId: 'o', projectId: 'p', userId: 'u', role: 'MEMBER' })).toMatchObject({ role: 'MEMBER' })
  expect(await organizationsOf(all, 'u')).toMatchObject([
    { id: 'o', role: 'ADMIN', projects: [{ id: 'p', role: 'MEMBER', retentionDays: 30 }] },
  ])
  expect(await removeMember(all, by, change)).toBe(true)
  expect(added).not.toBe('member')
})

test('dashboards can place widgets with views and charts that v3 lacks, and managed widgets of v3', async () => {
  const given = {
    ...{ name: 'w', description: '', view: 'scores-boolean', dimensions: [], metrics: [], filters: [], chartType: 'HISTOGRAM' },
    chartConfig: { type: 'HISTOGRAM', bins: 10 },
  }
  const { id } = await createWidget(project, by, given)
  expect(await getWidget(project, id)).toMatchObject(given)
  const placements = ['managed', id].map((widgetId, at) => ({
    type: 'widget' as const,
    widgetId,
    id: `${at}`,
    x: 0,
    y: at,
    width: 1,
    height: 1,
  }))
  expect(await createDashboard(project, by, { name: 'd', description: '', placements, filters: [] })).toMatchObject({
    placements,
    filters: [],
  })
  expect(await getWidget(project, 'managed')).toBe(undefined)
})
