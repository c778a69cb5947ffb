import { afterAll, beforeAll, describe } from 'vitest';
import type { ContractFixture, ContractTarget } from './contract/fixture.ts';
import { keyValueContract } from './contract/key-values.ts';
import { leaseContract } from './contract/leases.ts';
import { linearizabilityContract } from './contract/linearizability.ts';
import { maintenanceContract } from './contract/maintenance.ts';
import { transactionContract } from './contract/transactions.ts';
import { watchContract } from './contract/watches.ts';

/** The contract of every `Store`. One store serves the whole suite. */
export function storeContract(name: string, target: ContractTarget): void {
  const title =
    target.skip === undefined ? `store contract: ${name}` : `store contract: ${name} (skipped: ${target.skip})`;
  describe.skipIf(target.skip !== undefined)(title, () => {
    let fixture: ContractFixture;
    beforeAll(async () => {
      fixture = await target.open();
    }, 60_000);
    afterAll(async () => fixture.close(), 60_000);
    const use = (): ContractFixture => fixture;
    keyValueContract(use);
    transactionContract(use);
    watchContract(use, target);
    leaseContract(use);
    linearizabilityContract(use);
    maintenanceContract(use);
  });
}
