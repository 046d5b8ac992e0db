import poise.methods.adaptation.adapt as AD
from scratch import *
from poise.methods.adaptation.descent import Effort
from poise.methods.adaptation.problem import Problem
os=Problem.solve
EF={}
def solve(self,number,c,p,**k):
    k['effort']=EF[number]; return os(self,number,c,p,**k)
Problem.solve=solve
for e0,e1,ex in [(Effort(steps=12),Effort(steps=6,damping=1.),100.),(Effort(steps=12),Effort(steps=6,damping=10.),100.),(Effort(steps=12),Effort(steps=6,damping=1e-3),10.),(Effort(steps=12),Effort(steps=6,damping=.1),10.),(Effort(steps=12,factorisations=1),Effort(steps=6,damping=1.,factorisations=1),100.),(Effort(steps=12,factorisations=3),Effort(steps=6,damping=1.,factorisations=3),100.),(Effort(steps=7),Effort(steps=6,damping=1.),100.),(Effort(steps=12,damping=1e-2),Effort(steps=5,damping=1.),30.)]:
    EF.update({0:e0,1:e1}); AD.EXACT=ex
    A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True)
    r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True); print(e0,e1,ex); show(r)
    print([round(x,2) for x in r.descents[0].history]); print([round(x,3) for x in r.descents[1].history])
