import { type Static, Type } from 'typebox'
import type { RuntimeId } from '../runtime-ids.ts'
import { OneOf } from '../schema.ts'

/** service.md, Runtime */
export const Runtime = Type.Object({
  name: Type.String(),
  multiStepSupport: Type.Boolean(),
  nodeJsVersion: Type.String(),
  dependencies: Type.Record(Type.String(), Type.String(), { description: 'package name to version' }),
  stage: OneOf(['ALPHA', 'BETA', 'CURRENT', 'DEPRECATED', 'REMOVED', 'STABLE']),
  runtimeEndOfLife: Type.String({
    description: 'date on which the runtime is removed; empty when none is set',
  }),
  description: Type.String(),
})
export type Runtime = Static<typeof Runtime>

const runtime = (
  name: RuntimeId,
  nodeJsVersion: string,
  stage: Runtime['stage'],
  multiStepSupport = true,
): Runtime => ({
  name,
  multiStepSupport,
  nodeJsVersion,
  dependencies: {},
  stage,
  runtimeEndOfLife: '',
  description: `Node.js ${nodeJsVersion}`,
})

/** Newest first. `dependencies` lists what a runtime adds to Node.js itself. */
export const runtimes: readonly Runtime[] = [
  runtime('2026.04', '24.x', 'CURRENT'),
  runtime('2025.04', '22.x', 'STABLE'),
  runtime('2024.09', '20.x', 'STABLE'),
  runtime('2024.02', '18.x', 'DEPRECATED'),
  runtime('2023.09', '18.x', 'DEPRECATED'),
  runtime('2023.02', '16.x', 'DEPRECATED', false),
  runtime('2022.10', '16.x', 'DEPRECATED', false),
]
