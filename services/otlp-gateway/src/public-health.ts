// GET /api/public/health and /api/public/ready, as SDKs and load balancers of the public API ask for them. Probes have their own port.

import type { Answer } from '@svc-server/service/bodies'
import manifest from '../package.json' with { type: 'json' }
import { jsonAnswer } from './http/answers.ts'
import { queryParameter } from './http/paths.ts'

export interface PublicHealthDeps {
  /** Rejects when the relational store does not answer. */
  readonly checkDatabase: () => Promise<unknown>
  readonly serving: () => boolean
}

const version = manifest.version

export function createPublicHealth({ checkDatabase, serving }: PublicHealthDeps) {
  return {
    /** 503 only when `failIfDatabaseUnavailable=true` asks for the database and it does not answer. */
    async health(target: string): Promise<Answer> {
      if (queryParameter(target, 'failIfDatabaseUnavailable') !== 'true') return jsonAnswer(200, { status: 'OK', version })
      return checkDatabase().then(
        () => jsonAnswer(200, { status: 'OK', version }),
        () => jsonAnswer(503, { status: 'Database not available', version }),
      )
    },
    ready(): Answer {
      return serving() ? jsonAnswer(200, { status: 'OK', version }) : jsonAnswer(500, { status: 'Not ready', version })
    },
  }
}
