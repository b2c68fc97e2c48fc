import { z } from 'zod'
import { pageParameters, pathInteger, queryInteger, queryText, queryTime, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  CreateSkillVersionRequest,
  DeleteSkillVersionResponse,
  SkillFileContentsRequest,
  SkillFileContentsResponse,
  SkillMetaListResponse,
  SkillVersion,
  UpdateSkillLabelsRequest,
  UpdateSkillRequest,
} from './types.ts'

export const list = operation({
  id: 'unstable.skills.list',
  method: 'GET',
  path: '/api/public/unstable/skills',
  auth: 'project',
  query: z.object({
    ...pageParameters(),
    name: queryText,
    search: queryText,
    tag: queryText,
    fromUpdatedAt: queryTime,
    toUpdatedAt: queryTime,
  }),
  responses: { 200: SkillMetaListResponse },
  summary: 'List skills.',
})

export const createVersion = operation({
  id: 'unstable.skills.createVersion',
  method: 'POST',
  path: '/api/public/unstable/skills',
  auth: 'project',
  body: CreateSkillVersionRequest,
  responses: { 201: SkillVersion },
  summary: 'Create a skill, or a new version of an existing skill.',
})

export const get = operation({
  id: 'unstable.skills.get',
  method: 'GET',
  path: '/api/public/unstable/skills/{skillName}',
  auth: 'project',
  query: z.object({ version: queryInteger({ min: 0, max: 2_147_483_647 }), label: queryText }),
  responses: { 200: SkillVersion },
  summary: 'Get a skill by its label or version.',
})

export const update = operation({
  id: 'unstable.skills.update',
  method: 'PATCH',
  path: '/api/public/unstable/skills/{skillName}',
  auth: 'project',
  body: UpdateSkillRequest,
  responses: { 200: SkillVersion },
  summary: 'Change a skill.',
})

export const setLabels = operation({
  id: 'unstable.skills.setLabels',
  method: 'PATCH',
  path: '/api/public/unstable/skills/{skillName}/versions/{skillVersion}',
  auth: 'project',
  params: { skillVersion: pathInteger },
  body: UpdateSkillLabelsRequest,
  responses: { 200: SkillVersion },
  summary: 'Set the labels of a skill version.',
})

export const deleteVersion = operation({
  id: 'unstable.skills.deleteVersion',
  method: 'DELETE',
  path: '/api/public/unstable/skills/{skillName}/versions/{skillVersion}',
  auth: 'project',
  params: { skillVersion: pathInteger },
  responses: { 200: DeleteSkillVersionResponse },
  emptyRequest: true,
  summary: 'Delete a skill version.',
})

export const getFileContents = operation({
  id: 'unstable.skills.getFileContents',
  method: 'GET',
  path: '/api/public/unstable/skills/files/content',
  auth: 'project',
  query: z.object({ sha256Hashes: required(queryText) }),
  responses: { 200: SkillFileContentsResponse },
  summary: 'Get the contents of skill files by their hashes.',
})

export const findFileContents = operation({
  id: 'unstable.skills.findFileContents',
  method: 'POST',
  path: '/api/public/unstable/skills/files/content',
  auth: 'project',
  role: 'VIEWER',
  body: SkillFileContentsRequest,
  responses: { 200: SkillFileContentsResponse },
  surface: 'extra',
  summary: 'Get the contents of skill files by the hashes in the body.',
})
