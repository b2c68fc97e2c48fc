// The Model Context Protocol, by which an assistant reads a project. The protocol's tools are derived from the other operations.
import { z } from 'zod'
import { listOf, recordOf } from '../fields/fields.ts'
import { operation } from '../operation.ts'

const message = recordOf(z.unknown())

export const exchange = operation({
  id: 'mcp.exchange',
  method: 'POST',
  path: '/api/public/mcp',
  auth: 'project',
  role: 'VIEWER',
  body: z.union([message, listOf(message, { min: 1, max: 20, message: 'Expected 1 to 20 messages.' })]),
  // The status is 202 if no message needs a response.
  responses: { 200: z.unknown(), 202: null },
  errors: ['bad_request'],
  surface: 'extra',
  summary:
    'Exchange messages of the Model Context Protocol (streamable HTTP). The server offers the prompts of the project, and a tool for every read operation of the project.',
})
