import { entityRowsVersion } from '@svc-server/entities/rows/version'
import { mappingVersion } from '@svc-server/observations/block/mapping-version'
import type { Rules } from './destination.ts'

/** Includes the mapping's version, because prices, tools and metadata types come from the mapping. */
export const entityRules: Rules = { name: 'entities', version: `${mappingVersion}.${entityRowsVersion}` }
