// Returns the SCIM service's descriptions of itself (contract §19.5; RFC 7643 §§5 to 7).
import * as scim from '@svc-server/api/scim/operations'
import { handle, reply } from '../../request/handler.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0'
export const userUrn = `${core}:User`
export const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

const base = '/api/public/scim'
const no = { supported: false } as const

const getServiceProviderConfig = handle(scim.getServiceProviderConfig, () =>
  reply(200, {
    schemas: [`${core}:ServiceProviderConfig`],
    documentationUri: 'https://www.rfc-editor.org/rfc/rfc7644',
    patch: no,
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 100 },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        name: 'HTTP Basic',
        description: 'Public key and secret key of an organization.',
        specUri: 'https://www.rfc-editor.org/rfc/rfc7617',
        type: 'httpbasic',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }),
)

const getResourceTypes = handle(scim.getResourceTypes, () =>
  reply(200, {
    schemas: [listUrn],
    totalResults: 1,
    Resources: [
      {
        schemas: [`${core}:ResourceType`],
        id: 'User',
        name: 'User',
        endpoint: `${base}/Users`,
        description: 'A member of the organization.',
        schema: userUrn,
        schemaExtensions: [],
        meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
      },
    ],
  }),
)

const plain = { multiValued: false, required: false, caseExact: false, mutability: 'readWrite', returned: 'default', uniqueness: 'none' }
const text = (name: string, description: string, more: object = {}) => ({ name, type: 'string', description, ...plain, ...more })
const complex = (name: string, description: string, subAttributes: readonly object[], more: object = {}) => ({
  ...{ name, type: 'complex', description, multiValued: false, required: false, mutability: 'readWrite', returned: 'default' },
  ...{ subAttributes, ...more },
})
const readOnly = { mutability: 'readOnly' }
const time = (name: string, description: string) => text(name, description, { type: 'dateTime', ...readOnly })

const attributes = [
  text('id', 'Id of the user.', { caseExact: true, ...readOnly, returned: 'always', uniqueness: 'server' }),
  text('userName', 'Email address of the user, in lower case.', { required: true, uniqueness: 'server' }),
  complex('name', 'Name of the user.', [text('formatted', 'The complete name.')]),
  complex(
    'emails',
    'Email addresses of the user.',
    [
      text('value', 'The address.'),
      text('primary', 'True if this is the primary address.', { type: 'boolean' }),
      text('type', 'Purpose of the address: work.'),
    ],
    { multiValued: true },
  ),
  complex(
    'meta',
    'Attributes of the resource.',
    [
      text('resourceType', 'The type of the resource.', { caseExact: true, ...readOnly }),
      time('created', 'Time of the creation.'),
      time('lastModified', 'Time of the last change.'),
    ],
    readOnly,
  ),
]

const getSchemas = handle(scim.getSchemas, () =>
  reply(200, {
    schemas: [listUrn],
    totalResults: 1,
    Resources: [
      {
        id: userUrn,
        name: 'User',
        description: 'A member of the organization.',
        attributes: [...attributes],
        meta: { resourceType: 'Schema', location: `${base}/Schemas/${userUrn}` },
      },
    ],
  }),
)

export const descriptions = [getServiceProviderConfig, getResourceTypes, getSchemas]
