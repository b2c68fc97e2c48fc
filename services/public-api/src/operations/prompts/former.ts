// Handlers of the prompt routes before v2 (contract §20.9).
import * as prompts from '@svc-server/api/prompts/operations'
import { handle, reply } from '../../request/handler.ts'
import { makePrompt, readPrompt } from './prompts.ts'

export const formerGet = handle(prompts.formerGet, async ({ project: { projectId }, query: { name, version } }, deps) =>
  reply(200, await readPrompt(projectId, { name, resolve: true, ...(version !== undefined && { version }) }, deps)),
)

export const formerCreate = handle(prompts.formerCreate, async ({ project, body }, deps) =>
  reply(201, await makePrompt(project, body, deps)),
)
