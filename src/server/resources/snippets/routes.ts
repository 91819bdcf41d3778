import { Snippet, SnippetBody } from '../../../contract/resources/snippet.ts'
import { dateTimeText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { App } from '../../http/app-type.ts'
import { actionsOf, crudRoutes } from '../../http/crud-routes.ts'
import type { Stored } from '../../stored/collection.ts'
import { type SnippetOptions, snippetCollection } from './snippet-collection.ts'

function toResource({ id, definition, createdAt, updatedAt }: Stored<SnippetBody>): Snippet {
  return {
    ...definition,
    id: Number(id),
    created_at: dateTimeText(createdAt),
    updated_at: dateTimeTextOrNull(updatedAt),
  }
}

export function snippetRoutes(app: App, options: SnippetOptions): void {
  crudRoutes(app, {
    path: '/v1/snippets',
    tags: ['Snippets'],
    ids: 'number',
    schemas: { create: SnippetBody, update: SnippetBody, resource: Snippet },
    actions: actionsOf(snippetCollection(options), toResource),
  })
}
