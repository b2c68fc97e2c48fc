// Invitations and sign-in links. An administrator sends the link to the person.
import { operation } from '../operation.ts'
import { Invitation, InviteRequest, SignInLink } from './types.ts'

const inOrganization = '/api/ui/organizations/{orgId}' as const
const common = { auth: 'organization', surface: 'private', bucket: 'none', role: 'ADMIN' } as const

export const invite = operation({
  id: 'webMembers.invite',
  method: 'POST',
  path: `${inOrganization}/invitations`,
  ...common,
  body: InviteRequest,
  responses: { 201: Invitation },
  errors: ['conflict'],
  summary: 'Add a person as a member, and create a link that signs the person in once.',
})

export const createLink = operation({
  id: 'webMembers.createLink',
  method: 'POST',
  path: `${inOrganization}/members/{userId}/sign-in-links`,
  ...common,
  responses: { 201: SignInLink },
  errors: ['not_found'],
  summary: 'Create a link that signs a member in once, for example after a forgotten password.',
})
