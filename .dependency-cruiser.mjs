// The layers of docs/architecture.md: imports run one way, folders of one layer do not import each other.
const layers = [
  ['lib'],
  ['contract'],
  ['rules'],
  ['runner', 'runtimes', 'storage', 'alerting', 'health'],
  ['agent', 'server'],
  ['cli'],
]

const oneWay = layers.flatMap((layer, level) =>
  layer.map((folder) => {
    const forbidden = layers
      .slice(level)
      .flat()
      .filter((other) => other !== folder)
    return {
      name: `${folder}-imports-only-lower-layers`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: `^src/(${forbidden.join('|') || '-'})/` },
    }
  }),
)

export default {
  forbidden: [
    ...oneWay,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'not-to-dev-dependency',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'src-not-to-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'agent-without-storage',
      severity: 'error',
      from: { path: '^src/agent/' },
      to: { path: '^src/storage/' },
    },
    {
      name: 'server-without-runner',
      severity: 'error',
      from: { path: '^src/server/' },
      to: { path: '^src/runner/' },
    },
    {
      name: 'pure-rules-and-contract',
      comment: 'rules and contract touch no node: module',
      severity: 'error',
      from: { path: '^src/(rules|contract)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'one-runner-never-another',
      severity: 'error',
      from: { path: '^src/runner/(api|url|tcp|dns|icmp|heartbeat)/' },
      to: { path: '^src/runner/(api|url|tcp|dns|icmp|heartbeat)/', pathNot: '^src/runner/$1/' },
    },
    {
      name: 'one-resource-never-another',
      comment: 'a resource folder of the service stands alone: what two share lives beside them',
      severity: 'error',
      from: { path: '^src/server/resources/([^/]+)/' },
      to: { path: '^src/server/resources/', pathNot: '^src/server/resources/$1/' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
