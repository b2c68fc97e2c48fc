// The test rows for the requests of contract §19.
import { expect } from 'vitest'
import { good, type Row, refused, refusedAt } from './rows.ts'

const by = 'organization'
const project = { name: 'A project', metadata: { a: 1 }, retention: 7 }
const members = '/organizations/memberships'
const users = '/scim/Users'
const user = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'New@Example.com',
  name: { formatted: 'New' },
  roles: ['MEMBER'],
}
const patched = (op: object) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [op] })
const keys = '/projects/{project}/apiKeys'
const bucket = {
  ...{
    projectId: 'project-0',
    type: 'S3',
    bucketName: 'b',
    endpoint: null,
    region: 'eu',
    accessKeyId: 'a',
    secretAccessKey: 'secret',
    prefix: 'p/',
  },
  ...{ exportFrequency: 'daily', enabled: true, forcePathStyle: false, fileType: 'CSV', exportMode: 'FULL_HISTORY' },
}
const organizations = '/api/admin/organizations'

const people: readonly Row[] = [
  good(`PUT ${members}`, { userId: '{user}', role: 'VIEWER' }, { userId: '{user}', role: 'VIEWER', email: 'member@example.com' }, { by }),
  good(`PUT ${members}`, { userId: '{user}', role: 'NONE' }, { role: 'NONE' }, { by }),
  good(`GET ${members}`, undefined, { memberships: expect.any(Array) }, { by }),
  ...refused(`PUT ${members}`, 400, { userId: '{user}', role: 'VIEWER' }, [{ userId: undefined }, { role: undefined }, { role: 'KING' }], {
    by,
  }),
  { request: `PUT ${members}`, body: { userId: 'none', role: 'VIEWER' }, status: 404, says: { error: 'User not found' }, by },
  { request: `DELETE ${members}`, body: {}, status: 400, by },
  good(`DELETE ${members}`, { userId: 'none' }, { message: 'Membership deleted successfully', userId: 'none' }, { by }),
  good('PUT /projects/project-0/memberships', { userId: '{user}', role: 'ADMIN' }, { role: 'ADMIN' }, { by }),
  good('GET /projects/project-0/memberships', undefined, { memberships: [{ userId: '{user}' }] }, { by }),
  ...refused('PUT /projects/project-0/memberships', 400, { userId: '{user}' }, [{}, { role: 'KING' }], { by }),
  {
    request: 'PUT /projects/project-0/memberships',
    body: { userId: 'none', role: 'ADMIN' },
    status: 404,
    says: { error: 'User is not a member of this organization' },
    by,
  },
  { request: 'PUT /projects/none/memberships', body: { userId: '{user}', role: 'ADMIN' }, status: 404, by },
  { request: 'GET /projects/none/memberships', status: 404, by },
  {
    request: 'DELETE /projects/project-0/memberships',
    body: { userId: 'none' },
    status: 404,
    says: { error: 'Project membership not found' },
    by,
  },
  { request: 'DELETE /projects/none/memberships', body: { userId: '{user}' }, status: 403, by },
  { request: 'DELETE /projects/project-0/memberships', body: {}, status: 400, by },
  good(
    'DELETE /projects/project-0/memberships',
    { userId: '{user}' },
    { message: 'Project membership deleted successfully', userId: '{user}' },
    { by },
  ),
  good('GET /organizations/projects', undefined, { projects: [{ metadata: null }, { metadata: null }] }, { by }),
  good('GET /organizations/apiKeys', undefined, { apiKeys: [{ expiresAt: null, note: null, name: null }] }, { by }),
  {
    request: `GET ${members}`,
    status: 403,
    says: { error: expect.stringMatching(/^Invalid API key\. Organization-scoped API key required for this operation\./) },
  },
]

const projects: readonly Row[] = [
  good('GET /projects', undefined, { data: [{ id: 'project-0', metadata: {}, organization: { id: 'org', name: 'org' } }] }),
  {
    request: 'GET /projects',
    status: 403,
    by,
    says: { message: expect.stringMatching(/^Invalid API key\. Are you using an organization key\?/) },
  },
  good(
    'POST /projects',
    project,
    { name: 'A project', metadata: { a: 1 }, retentionDays: 7, organization: { id: 'org' } },
    { status: 201, as: 'project', by },
  ),
  good('POST /projects', { name: 'Texts', metadata: '{"b":2}', retention: 0 }, { metadata: { b: 2 } }, { status: 201, by }),
  good('POST /projects', { name: 'x'.repeat(60), metadata: null }, { name: 'x'.repeat(60) }, { status: 201, by }),
  good(
    'PUT /projects/{project}',
    { name: 'Renamed' },
    { name: 'Renamed', metadata: { a: 1 }, retentionDays: 7, organization: { id: 'org' } },
    { by },
  ),
  ...refused(
    'POST /projects',
    400,
    { ...project, name: 'Another' },
    [
      ...[undefined, 'ab', 'x'.repeat(61), '<b>bold</b>', 1].map(name => ({ name })),
      ...[1, 2, -1, 3.5, 'a'].map(retention => ({ retention })),
      ...['a', [1], 1].map(metadata => ({ metadata })),
    ],
    { by },
  ),
  { request: 'POST /projects', body: { ...project, name: 'Texts' }, status: 409, by },
  ...refused('PUT /projects/{project}', 400, { name: 'Renamed' }, [{ name: undefined }, { name: 'ab' }, { retention: 2 }], { by }),
  {
    request: 'PUT /projects/none',
    body: { name: 'Renamed' },
    status: 404,
    by,
    says: { message: "Project not found or you don't have access to it" },
  },
  { request: 'DELETE /projects/none', status: 404, by },
  good(
    `POST ${keys}`,
    { name: 'k' },
    { name: 'k', note: 'k', expiresAt: null, publicKey: expect.stringMatching(/^pk-/) },
    { status: 201, as: 'key', by },
  ),
  good(
    `POST ${keys}`,
    { note: 'n', expiresAt: '2199-01-01T00:00:00.000Z' },
    { name: 'n', note: 'n', expiresAt: '2199-01-01T00:00:00.000Z' },
    { status: 201, by },
  ),
  good(
    `POST ${keys}`,
    { publicKey: 'pk-svc-own', secretKey: 'sk-svc-own-secret', expiresAt: null },
    { publicKey: 'pk-svc-own', secretKey: 'sk-svc-own-secret' },
    { status: 201, by },
  ),
  good(
    `GET ${keys}`,
    undefined,
    { apiKeys: [{ id: '{key}', displaySecretKey: expect.stringMatching(/^sk-svc?\S*\.\.\.\S{4}$/) }, {}, {}] },
    { by },
  ),
  ...refused(
    `POST ${keys}`,
    400,
    {},
    [
      { name: 'a', note: 'b' },
      { name: '', note: '' },
      { expiresAt: '2020-01-01T00:00:00Z' },
      { expiresAt: 'later' },
      { publicKey: 'pk-svc-a' },
      { secretKey: 'sk-svc-a' },
      { publicKey: 'a', secretKey: 'sk-svc-a' },
      { publicKey: 'pk-svc-a', secretKey: 'a' },
    ],
    { by },
  ),
  { request: `POST ${keys}`, body: { publicKey: 'pk-svc-own', secretKey: 'sk-svc-second' }, status: 409, by },
  { request: 'POST /projects/none/apiKeys', body: {}, status: 404, by },
  { request: 'GET /projects/none/apiKeys', status: 404, by },
  good(`DELETE ${keys}/{key}`, undefined, { success: true }, { by }),
  { request: `DELETE ${keys}/{key}`, status: 404, by, says: { message: 'API key not found' } },
  good('DELETE /projects/{project}', undefined, { success: true, message: expect.any(String) }, { status: 202, by }),
  { request: 'PUT /projects/{project}', body: { name: 'Renamed' }, status: 404, by },
]

const scim: readonly Row[] = [
  good(
    'GET /scim/ServiceProviderConfig',
    undefined,
    {
      patch: { supported: false },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 100 },
      etag: { supported: false },
      authenticationSchemes: [{ type: 'httpbasic', primary: true }],
    },
    { by },
  ),
  good(
    'GET /scim/ResourceTypes',
    undefined,
    { totalResults: 1, Resources: [{ id: 'User', endpoint: '/api/public/scim/Users', schemaExtensions: [] }] },
    { by },
  ),
  good('GET /scim/Schemas', undefined, { totalResults: 1 }, { by }),
  good(
    `POST ${users}`,
    user,
    { userName: 'new@example.com', name: { formatted: 'New' }, emails: [{ primary: true, value: 'new@example.com', type: 'work' }] },
    { status: 201, as: 'scimUser', by },
  ),
  { request: `POST ${users}`, body: user, status: 409, by, says: { detail: 'User with this userName already exists' } },
  good(
    `POST ${users}`,
    { userName: 'display@example.com', displayName: 'Shown', password: 'ignored', active: true, emails: [] },
    { name: { formatted: 'Shown' } },
    { status: 201, by },
  ),
  good(`GET ${users}/{scimUser}`, undefined, { id: '{scimUser}', meta: { resourceType: 'User', created: expect.any(String) } }, { by }),
  good(
    `GET ${users}?filter=${encodeURIComponent('userName eq "NEW@example.com"')}`,
    undefined,
    { totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [{ id: '{scimUser}' }] },
    { by },
  ),
  good(
    `GET ${users}?filter=${encodeURIComponent('name sw "a"')}&count=1&startIndex=2`,
    undefined,
    { startIndex: 2, Resources: [{}] },
    { by },
  ),
  ...refused(
    `POST ${users}`,
    400,
    { ...user, userName: 'a@example.com' },
    [{ userName: undefined }, { roles: ['KING'] }, { roles: 'MEMBER' }],
    { by },
  ),
  { request: `GET ${users}/none`, status: 404, by, says: { detail: 'User not found' } },
  ...(['PUT', 'PATCH', 'DELETE'] as const).map(
    (method): Row => ({
      request: `${method} ${users}/none`,
      status: 404,
      by,
      ...(method !== 'DELETE' && { body: method === 'PUT' ? user : patched({ op: 'replace', value: { active: false } }) }),
    }),
  ),
  ...refused(
    `PATCH ${users}/{scimUser}`,
    400,
    patched({ op: 'replace', value: { active: true } }),
    [
      { schemas: [] },
      { schemas: undefined },
      { Operations: undefined },
      { Operations: [{ op: 'add', value: { active: true } }] },
      { Operations: [{ op: 'replace', value: { active: 'yes' } }] },
    ],
    { by },
  ),
  ...refused(`PUT ${users}/{scimUser}`, 400, user, [{ schemas: undefined }, { schemas: ['other'] }], { by }),
  good(`PATCH ${users}/{scimUser}`, patched({ op: 'replace', value: { active: false } }), { id: '{scimUser}' }, { by }),
  good(`PATCH ${users}/{scimUser}`, patched({ op: 'replace', value: { active: false } }), {}, { by }),
  { request: `GET ${users}/{scimUser}`, status: 404, by, says: { detail: 'User not found in organization' } },
  good(`PUT ${users}/{scimUser}`, { ...user, active: true }, { id: '{scimUser}' }, { by }),
  { request: `DELETE ${users}/{scimUser}`, status: 204, by },
]

const buckets: readonly Row[] = [
  good(
    'PUT /integrations/blob-storage',
    bucket,
    { id: 'project-0', prefix: 'p/', compressed: true, exportStartDate: null, accessKeyId: 'a' },
    { by },
  ),
  good('PUT /integrations/blob-storage', { ...bucket, secretAccessKey: undefined, prefix: undefined }, { prefix: '' }, { by }),
  good('GET /integrations/blob-storage', undefined, { data: [{ projectId: 'project-0' }] }, { by }),
  good('GET /integrations/blob-storage/project-0', undefined, { id: 'project-0', enabled: true, lastError: null }, { by }),
  ...refused(
    'PUT /integrations/blob-storage',
    400,
    bucket,
    [
      ...['projectId', 'type', 'bucketName', 'region', 'exportFrequency', 'enabled', 'forcePathStyle', 'fileType', 'exportMode'].map(
        key => ({ [key]: undefined }),
      ),
      { type: 'FTP' },
      { bucketName: '' },
      { type: 'AZURE_BLOB_STORAGE', bucketName: 'A--b' },
      { type: 'S3_COMPATIBLE', endpoint: 'http://127.0.0.1:9000' },
      { endpoint: 'http://10.0.0.1' },
      { prefix: 'p' },
      { exportFrequency: 'yearly' },
      { fileType: 'XML' },
      { exportMode: 'FROM_CUSTOM_DATE' },
      { exportMode: 'FROM_CUSTOM_DATE', exportStartDate: '2999-01-01T00:00:00Z' },
      { exportSource: 'OTHER' },
      { exportSource: 'OBSERVATIONS_V2', exportFieldGroups: ['io'] },
      { exportFieldGroups: ['core'], exportSource: undefined },
      { unknown: 1 },
      { type: 'S3_COMPATIBLE', accessKeyId: null, secretAccessKey: null },
    ],
    { by },
  ),
  {
    request: 'PUT /integrations/blob-storage',
    body: { ...bucket, projectId: 'none' },
    status: 404,
    by,
    says: { message: 'Project not found' },
  },
  {
    request: 'PUT /integrations/blob-storage',
    body: { ...bucket, projectId: 'project-other', type: 'S3_COMPATIBLE', secretAccessKey: undefined },
    status: 400,
    by,
  },
  ...refusedAt('GET /integrations/blob-storage', 404, ['/none', '/project-other'], {
    by,
    says: { message: 'Blob storage integration not found' },
  }),
  { request: 'GET /integrations/blob-storage', status: 403 },
  good('DELETE /integrations/blob-storage/project-0', undefined, { message: 'Blob storage integration successfully deleted' }, { by }),
  { request: 'DELETE /integrations/blob-storage/project-0', status: 404, by },
]

const admin: readonly Row[] = [
  good(
    `POST ${organizations}`,
    { name: 'Made here', metadata: { a: 1 } },
    { name: 'Made here', metadata: { a: 1 }, projects: [] },
    { status: 201, as: 'org', by: 'instance' },
  ),
  good(`GET ${organizations}`, undefined, { organizations: expect.any(Array) }, { by: 'instance' }),
  good(`GET ${organizations}/{org}`, undefined, { name: 'Made here' }, { by: 'instance' }),
  good(`PUT ${organizations}/{org}`, { name: 'Renamed' }, { name: 'Renamed', metadata: { a: 1 } }, { by: 'instance' }),
  ...refused(
    `POST ${organizations}`,
    400,
    {},
    [{}, ...['ab', 'x'.repeat(61), '<i>a</i>'].map(name => ({ name })), { name: 'Good', metadata: [1] }],
    { by: 'instance' },
  ),
  { request: `PUT ${organizations}/{org}`, body: {}, status: 400, by: 'instance' },
  { request: `GET ${organizations}/none`, status: 404, by: 'instance' },
  { request: `PUT ${organizations}/none`, body: { name: 'Renamed' }, status: 404, by: 'instance' },
  { request: `DELETE ${organizations}/none`, status: 404, by: 'instance' },
  { request: `DELETE ${organizations}/org`, status: 400, by: 'instance' },
  good(
    `POST ${organizations}/{org}/apiKeys`,
    { note: 'n' },
    { note: 'n', publicKey: expect.any(String), secretKey: expect.any(String) },
    { status: 201, as: 'orgKey', by: 'instance' },
  ),
  good(`GET ${organizations}/{org}/apiKeys`, undefined, { apiKeys: [{ id: '{orgKey}', note: 'n' }] }, { by: 'instance' }),
  good(`DELETE ${organizations}/{org}/apiKeys/{orgKey}`, undefined, { success: true }, { by: 'instance' }),
  { request: `DELETE ${organizations}/{org}/apiKeys/{orgKey}`, status: 404, by: 'instance' },
  ...refused('POST /api/admin/api-keys', 400, {}, [{}, { action: 'other' }, { action: 'delete' }], { by: 'instance' }),
  good('POST /api/admin/api-keys', { action: 'invalidate-all' }, { message: expect.any(String) }, { by: 'instance' }),
  good(`DELETE ${organizations}/{org}`, undefined, { success: true }, { by: 'instance' }),
]

export const organizationRows: readonly Row[] = [...people, ...projects, ...scim, ...buckets, ...admin]
