// Writes objects such as projects, keys and evaluators through the API, and reads them back. The bodies are generated from the schemas.
import * as admin from '@svc-server/api/admin/operations'
import * as blobStorage from '@svc-server/api/blob-storage-integrations/operations'
import * as rules from '@svc-server/api/evaluation-rules/operations'
import * as evaluators from '@svc-server/api/evaluators/operations'
import * as llmConnections from '@svc-server/api/llm-connections/operations'
import * as organizations from '@svc-server/api/organizations/operations'
import * as projects from '@svc-server/api/projects/operations'
import * as scim from '@svc-server/api/scim/operations'
import * as skills from '@svc-server/api/skills/operations'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { addPerson } from './people.ts'
import { checkReadBack, type Instances, instanceKinds, type Json, type Written } from './read-back.ts'

const name = fc.stringMatching(/^[^\s\0<>|/][^\0<>|/]{1,20}[^\s\0<>|/]$/u)
const later = fc.integer({ min: 1, max: 1_000 }).map(days => new Date(Date.now() + days * 86_400_000).toISOString())
const objectOf = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
const asObject = (given: unknown) => (typeof given === 'string' ? JSON.parse(given) : given)
const listed = (key: string, by: string) => (read: Json, made: Json) => (read[key] as readonly Json[]).find(each => each[by] === made[by])

const judge = {
  ...{ type: 'llm_as_judge', name: 'a judge', prompt: 'Is {{a}} good?', modelConfig: { provider: 'judge', model: 'm' } },
  outputDefinition: { dataType: 'BOOLEAN' },
}
const mapping = fc.record({ variable: fc.constant('a'), source: fc.constantFrom('input', 'output', 'metadata') }).map(each => [each])

let evaluatorId: string
let ruleId: string
let userId: string

const written: readonly (readonly [string, Written])[] = [
  [
    'a project',
    {
      ...{
        operation: projects.create,
        by: 'organization',
        readFrom: () => '/api/public/organizations/projects',
        from: listed('projects', 'id'),
      },
      with: () => ({
        name,
        metadata: fc.oneof(
          objectOf,
          objectOf.map(each => JSON.stringify(each)),
        ),
      }),
      otherwise: { metadata: asObject },
      // Only the project's own key can read `retention`, and the test reads with another key.
      hidden: ['retention'],
    },
  ],
  [
    'a changed project',
    {
      ...{
        operation: projects.update,
        by: 'organization',
        params: () => ({ projectId: 'project-0' }),
        readFrom: () => '/api/public/projects',
      },
      with: () => ({ name, metadata: objectOf, retention: fc.constantFrom(0, 3, 365) }),
      from: read => (read['data'] as readonly Json[])[0],
      shown: { retention: read => read['retentionDays'] ?? 0 },
      readBy: 'project',
    },
  ],
  [
    'a key',
    {
      ...{ operation: projects.createApiKey, by: 'organization', params: () => ({ projectId: 'project-0' }) },
      with: () => ({
        name: fc.option(fc.string()),
        note: fc.constant(undefined),
        publicKey: fc.constant(undefined),
        secretKey: fc.constant(undefined),
        expiresAt: fc.option(later),
      }),
      readFrom: () => '/api/public/projects/project-0/apiKeys',
      from: listed('apiKeys', 'id'),
    },
  ],
  [
    'a membership',
    {
      ...{
        operation: organizations.updateOrganizationMembership,
        by: 'organization',
        with: () => ({ userId: fc.constant('').map(() => userId) }),
      },
      ...{ readFrom: () => '/api/public/organizations/memberships', from: listed('memberships', 'userId') },
    },
  ],
  [
    'a membership of a project',
    {
      ...{ operation: organizations.updateProjectMembership, by: 'organization', params: () => ({ projectId: 'project-0' }) },
      with: () => ({ userId: fc.constant('').map(() => userId) }),
      ...{ readFrom: () => '/api/public/projects/project-0/memberships', from: listed('memberships', 'userId') },
    },
  ],
  [
    'a SCIM user',
    {
      ...{ operation: scim.createUser, by: 'organization' },
      with: () => ({
        userName: fc.uuid().map(id => `${id.toUpperCase()}@Example.com`),
        name: fc.option(fc.record({ formatted: fc.option(name) })),
        roles: fc.constantFrom(undefined, [], ['MEMBER']),
        emails: fc.constant(undefined),
      }),
      readFrom: made => `/api/public/scim/Users/${made['id']}`,
      otherwise: {
        userName: given => String(given).toLowerCase(),
        name: (given, body) => ({ formatted: (given as { formatted: string | null }).formatted ?? body['displayName'] ?? null }),
      },
      hidden: ['displayName', 'password', 'active', 'roles', 'emails'],
    },
  ],
  [
    'an export to a bucket',
    {
      ...{ operation: blobStorage.upsertBlobStorageIntegration, by: 'organization' },
      with: () => ({
        ...{ projectId: fc.constant('project-0'), type: fc.constantFrom('S3', 'S3_COMPATIBLE', 'GOOGLE_CLOUD_STORAGE'), bucketName: name },
        ...{ accessKeyId: name, secretAccessKey: name, endpoint: fc.option(fc.constant('https://buckets.example.com')), region: name },
        ...{ prefix: fc.constantFrom('', 'a/', 'a/b/'), exportMode: fc.constant('FROM_CUSTOM_DATE') },
        exportStartDate: fc.integer({ min: 1, max: 1_000 }).map(days => new Date(Date.now() - days * 86_400_000).toISOString()),
        exportSource: fc.constant('OBSERVATIONS_V2'),
        exportFieldGroups: fc.constantFrom(null, ['core'], ['core', 'io', 'usage']),
      }),
      ...{ readFrom: () => '/api/public/integrations/blob-storage', from: listed('data', 'projectId'), hidden: ['secretAccessKey'] },
    },
  ],
  [
    'an organization',
    {
      ...{ operation: admin.createOrganization, by: 'instance', with: () => ({ name, metadata: objectOf }) },
      readFrom: made => `/api/admin/organizations/${made['id']}`,
    },
  ],
  [
    'a connection of each adapter',
    {
      ...{ operation: llmConnections.upsert, by: 'project' },
      with: () => ({
        ...{ provider: fc.uuid(), secretKey: fc.constant('{"apiKey":"12345678"}'), customModels: fc.array(name, { maxLength: 3 }) },
        ...{ adapter: fc.constant('bedrock'), config: fc.record({ region: fc.constantFrom('eu-west-1', 'us-east-1') }) },
        ...{ baseURL: fc.constantFrom(null, 'https://models.example.com/v1'), extraHeaders: fc.constantFrom(null, { 'x-a': 'b' }) },
      }),
      ...{
        readFrom: () => '/api/public/llm-connections?limit=100',
        from: listed('data', 'provider'),
        hidden: ['secretKey', 'extraHeaders'],
      },
    },
  ],
  [
    'a changed evaluator',
    {
      ...{
        operation: evaluators.update,
        by: 'project',
        params: () => ({ evaluatorId }),
        readFrom: () => `/api/public/v2/evaluators/${evaluatorId}`,
        hidden: ['sourceCode', 'sourceCodeLanguage'],
      },
      with: () => ({
        ...{
          type: fc.constant('llm_as_judge'),
          name,
          description: fc.option(fc.string()),
          prompt: fc.constant([{ role: 'user', content: 'Is {{a}} bad?' }]),
        },
        ...{ modelConfig: fc.record({ provider: fc.constant('judge'), model: name }), variableMapping: mapping },
        outputDefinition: fc.record({
          ...{ dataType: fc.constant('CATEGORICAL'), shouldAllowMultipleMatches: fc.boolean() },
          ...{ categories: fc.uniqueArray(name, { minLength: 2, maxLength: 4 }), scoreValueInstructions: name },
        }),
      }),
    },
  ],
  [
    'a changed rule',
    {
      ...{
        operation: rules.update,
        by: 'project',
        params: () => ({ evaluationRuleId: ruleId }),
        readFrom: () => `/api/public/v2/evaluation-rules/${ruleId}`,
      },
      with: () => ({
        ...{ name, enabled: fc.boolean(), sampling: fc.double({ min: 0.001, max: 1, noNaN: true }) },
        filter: fc.array(
          fc.record({
            type: fc.constant('boolean'),
            column: fc.constant('isRootObservation'),
            operator: fc.constantFrom('=', '<>'),
            value: fc.boolean(),
          }),
          { maxLength: 2 },
        ),
        evaluatorAssignments: mapping.map(variableMapping => [{ evaluatorId, variableMapping }]),
      }),
    },
  ],
  [
    'a skill',
    {
      ...{ operation: skills.createVersion, by: 'project' },
      with: () => ({
        files: fc.tuple(fc.stringMatching(/^[a-z]{1,10}$/), fc.string({ unit: 'grapheme' })).map(([skill, content]) => [
          { path: 'SKILL.md', content: `---\nname: ${skill}\ndescription: d\n---\n` },
          { path: 'a/b.txt', content },
        ]),
        commitMessage: fc.option(name),
      }),
      readFrom: made => `/api/public/unstable/skills/${made['name']}?version=${made['version']}`,
      otherwise: {
        files: given =>
          (given as readonly { path: string; content: string }[]).map(({ path, content }) => [path, Buffer.byteLength(content)]),
      },
      shown: { files: read => (read['files'] as readonly Json[]).map(({ path, contentLength }) => [path, contentLength]) },
    },
  ],
]

describe.each(instanceKinds('postgres'))('on $kind', ({ open }) => {
  let all: Instances
  beforeAll(async () => {
    all = await open()
    const { store, send } = all.opened
    ;({ id: userId } = await addPerson(store, 'person@example.com', 'MEMBER'))
    await send('PUT', '/llm-connections', { provider: 'judge', adapter: 'openai', secretKey: 'sk-12345678' })
    evaluatorId = (await send('POST', '/v2/evaluators', judge)).json.id
    ruleId = (await send('POST', '/v2/evaluation-rules', { name: 'a rule', enabled: false, evaluatorAssignments: [] })).json.id
  })
  afterAll(() => all.close())

  test.each(written)('%s comes back unchanged', (_, each) => checkReadBack(all, each))
})
