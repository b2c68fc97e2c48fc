// Creates the tables for connections to model providers, and for the default model of evaluators (contract §21.1).
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { ensureTable, noWayBack, projectColumns } from './tables.ts'

export const llmConnections: Migration = {
  async up(db: Kysely<unknown>) {
    await ensureTable(db, {
      name: 'llm_api_keys',
      columns: {
        ...projectColumns,
        provider: 'text not null',
        adapter: 'text not null',
        display_secret_key: 'text not null',
        secret_key: 'text not null',
        base_url: 'text',
        custom_models: "text[] not null default '{}'",
        with_default_models: 'boolean not null default true',
        extra_headers: 'text',
        extra_header_keys: "text[] not null default '{}'",
        config: 'jsonb',
      },
      constraints: [
        'constraint llm_api_keys_pkey primary key (id)',
        'constraint llm_api_keys_project_id_provider_key unique (project_id, provider)',
      ],
    })
    await ensureTable(db, {
      name: 'default_llm_models',
      columns: {
        ...projectColumns,
        llm_api_key_id: 'text not null references llm_api_keys (id) on delete cascade',
        provider: 'text not null',
        adapter: 'text not null',
        model: 'text not null',
        model_params: 'jsonb',
      },
      constraints: [
        'constraint default_llm_models_pkey primary key (id)',
        'constraint default_llm_models_project_id_key unique (project_id)',
      ],
    })
  },
  down: noWayBack,
}
