import { entityRowsVersion } from '@svc-server/entities/rows/version'
import { mappingVersion } from '@svc-server/observations/block/mapping-version'
import type { Rules } from './destination.ts'

/** The version includes the mapping's version, because the mapping supplies prices, tools and metadata types. */
export const entityRules: Rules = { name: 'entities', version: `${mappingVersion}.${entityRowsVersion}` }
